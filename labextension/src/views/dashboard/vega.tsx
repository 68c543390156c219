import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { Widget } from '@lumino/widgets';
import React, { useLayoutEffect, useRef, useState } from 'react';
import { IPalette } from '../../state/charts';
import { Notice } from '../parts/controls';
import { useUi } from '../parts/ui';

const MIME = 'application/vnd.vegalite.v5+json';
/** In pixels. */
const STEP = 20;
/** Colours of projects: those of warnings and errors would look like one. */
const COLOURS = [
  'brand-color1',
  'icon-contrast-color0',
  'success-color1',
  'info-color1',
  'icon-contrast-color2',
  'brand-color3',
  'success-color3',
  'info-color3'
];

type Spec = Record<string, unknown>;

/** Draw a chart by JupyterLab's own Vega-Lite renderer, in the colours of the theme. */
export function VegaChart(props: {
  renderMime: IRenderMimeRegistry | null;
  /** What the chart shows, for those who do not see it. */
  label: string;
  specOf: (palette: IPalette) => Spec;
}): JSX.Element {
  const { renderMime, label, specOf } = props;
  const { trans } = useUi();
  const place = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState('');
  // A new spec only if what it shows has changed: redrawing flickers.
  const works = Boolean(renderMime?.getFactory(MIME));
  const width = useWidth(place);
  const spec = JSON.stringify({ ...specOf(useTheme()), width });
  useLayoutEffect(() => {
    if (!place.current || !renderMime || !works || !width) {
      return;
    }
    const renderer = renderMime.createRenderer(MIME);
    Widget.attach(renderer, place.current);
    const model = renderMime.createModel({
      data: { [MIME]: JSON.parse(spec) },
      metadata: {
        [MIME]: { embed_options: { actions: false, renderer: 'svg' } }
      }
    });
    renderer.renderModel(model).then(
      () => setFailure(''),
      error => setFailure(String(error))
    );
    return () => renderer.dispose();
  }, [renderMime, works, width, spec]);
  if (!works) {
    return (
      <p className="jp-GpuQuota-quiet">
        {trans.__(
          'This JupyterLab cannot draw Vega-Lite charts. Open the table instead.'
        )}
      </p>
    );
  }
  return (
    <>
      {failure ? <Notice>{failure}</Notice> : null}
      <div role="img" aria-label={label}>
        <div ref={place} className="jp-GpuQuota-chart" aria-hidden="true" />
      </div>
    </>
  );
}

/**
 * Follow how wide an element is, in pixels; 0 until it has been laid out.
 *
 * Vega-Lite's own `container` looks only when the window changes, and often too early.
 */
function useWidth(place: React.RefObject<HTMLElement>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const node = place.current;
    if (!node) {
      return;
    }
    const measure = () =>
      // In steps, so that not every pixel of a drag redraws it.
      setWidth(old =>
        node.clientWidth ? node.clientWidth - (node.clientWidth % STEP) : old
      );
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(node);
    return () => observer.disconnect();
  }, [place]);
  return width;
}

/** Return the colours of the theme, and new ones when the user chooses another. */
function useTheme(): IPalette {
  const [palette, setPalette] = useState(readPalette);
  useLayoutEffect(() => {
    const observer = new MutationObserver(() => setPalette(readPalette()));
    observer.observe(document.body, {
      attributeFilter: ['data-jp-theme-name']
    });
    return () => observer.disconnect();
  }, []);
  return palette;
}

function readPalette(): IPalette {
  const style = getComputedStyle(document.body);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return {
    text: value('--jp-ui-font-color1'),
    grid: value('--jp-border-color2'),
    font: value('--jp-ui-font-family'),
    series: COLOURS.map(name => value(`--jp-${name}`))
  };
}
