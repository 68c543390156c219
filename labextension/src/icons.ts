import { LabIcon } from '@jupyterlab/ui-components';
import { State } from './api/models';
import { lookUp, Table } from './api/vocabulary';

function icon(name: string, body: string): LabIcon {
  const svgstr = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">${body}</svg>`;
  return new LabIcon({ name: `jupyter-gpuquota:${name}`, svgstr });
}

/** A state's shape tells it without its colour; the colour is that of the text around it. */
function glyph(name: string, body: string): LabIcon {
  return icon(name, `<g class="jp-GpuQuota-glyph">${body}</g>`);
}

/** A device with one half of it filled: a share of a GPU. */
export const gpuIcon = icon(
  'gpu',
  `<g class="jp-icon3" fill="#616161">
    <path d="M3.5 2h9A1.5 1.5 0 0 1 14 3.5v9a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 12.5v-9A1.5 1.5 0 0 1 3.5 2zm0 1.3a.2.2 0 0 0-.2.2v9c0 .1.1.2.2.2h9a.2.2 0 0 0 .2-.2v-9a.2.2 0 0 0-.2-.2z"/>
    <path d="M5 5h3v6H5z"/>
    <path d="M8 5h3v6H8zm1 1v4h1V6z"/>
    <path d="M5 0h1.2v2H5zm4.8 0H11v2H9.8zM5 14h1.2v2H5zm4.8 0H11v2H9.8zM0 5h2v1.2H0zm0 4.8h2V11H0zM14 5h2v1.2h-2zm0 4.8h2V11h-2z"/>
  </g>`
);

export const STATE_ICONS: Table<State, LabIcon> = {
  waiting: glyph(
    'waiting',
    '<path d="M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zm0 1.6a4.9 4.9 0 1 1 0 9.8 4.9 4.9 0 0 1 0-9.8z"/><path d="M7.3 4.5h1.4v3.2l2.2 1.5-.8 1.1-2.8-1.9z"/>'
  ),
  starting: glyph(
    'starting',
    '<path d="M8 1.5a6.5 6.5 0 1 0 6.5 6.5h-1.7A4.8 4.8 0 1 1 8 3.2z"/><path d="M8 5v6a3 3 0 0 0 0-6z"/>'
  ),
  running: glyph('running', '<circle cx="8" cy="8" r="5.5"/>'),
  stopping: glyph(
    'stopping',
    '<path d="M8 1.5a6.5 6.5 0 1 0 6.5 6.5h-1.7A4.8 4.8 0 1 1 8 3.2z"/><path d="M5.8 5.8h4.4v4.4H5.8z"/>'
  ),
  suspended: glyph('suspended', '<path d="M4 3h2.8v10H4zm5.2 0H12v10H9.2z"/>'),
  stopped: glyph(
    'stopped',
    '<path d="M3.5 3.5h9v9h-9zm1.6 1.6v5.8h5.8V5.1z"/>'
  ),
  done: glyph(
    'done',
    '<path d="M6.3 12.6 2 8.3l1.3-1.3 3 3L12.7 3.6 14 4.9z"/>'
  ),
  failed: glyph(
    'failed',
    '<path d="M8 1.5 15.2 14H.8zm-.8 4.7.2 3.9h1.2l.2-3.9zM8 10.9a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6z"/>'
  )
};

/** What stands where a word of a newer server has no icon. */
export const otherIcon = glyph(
  'other',
  '<path d="M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zm0 1.6a4.9 4.9 0 1 1 0 9.8 4.9 4.9 0 0 1 0-9.8z"/><circle cx="8" cy="8" r="1.6"/>'
);

/** Return the icon of a state. */
export function stateIcon(state: State): LabIcon {
  return lookUp(STATE_ICONS, state) ?? otherIcon;
}

export const suspendIcon = icon(
  'suspend',
  '<path class="jp-icon3" fill="#616161" d="M4 3h2.8v10H4zm5.2 0H12v10H9.2z"/>'
);

export const clockIcon = icon(
  'clock',
  '<path class="jp-icon3" fill="#616161" d="M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zm0 1.6a4.9 4.9 0 1 1 0 9.8 4.9 4.9 0 0 1 0-9.8zM7.3 4.5h1.4v3.2l2.2 1.5-.8 1.1-2.8-1.9z"/>'
);

export const warningIcon = icon(
  'warning',
  '<path class="jp-icon-warn0" fill="#f57c00" d="M8 1.5 15.2 14H.8zm-.8 4.7.2 3.9h1.2l.2-3.9zM8 10.9a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6z"/>'
);

export const moreIcon = icon(
  'more',
  '<g class="jp-icon3" fill="#616161"><circle cx="3" cy="8" r="1.4"/><circle cx="8" cy="8" r="1.4"/><circle cx="13" cy="8" r="1.4"/></g>'
);

/** A camera. */
export const snapshotIcon = icon(
  'snapshot',
  '<path class="jp-icon3" fill="#616161" d="M6 2.5 5 4H2v9h12V4h-3l-1-1.5zM3.3 5.3h9.4v6.4H3.3zM8 6a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zm0 1.2a1.3 1.3 0 1 1 0 2.6 1.3 1.3 0 0 1 0-2.6z"/>'
);

export const openIcon = icon(
  'open',
  '<path class="jp-icon3" fill="#616161" d="M3 3h4v1.3H4.3v7.4h7.4V9H13v4H3zm6 0h4v4h-1.3V5.2L7.7 9.3l-1-1 4-4H9z"/>'
);
