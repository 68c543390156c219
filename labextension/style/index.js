import './base.css';
import './panel.css';
import './gpus.css';
import './form.css';
import './viewers.css';
import './dashboard.css';
