// Styles of datasets, volumes and snapshots: loaded with their views.
import '../../../style/datasets.css';
import '../../../style/storage.css';
