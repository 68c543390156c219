import { TranslationBundle } from '@jupyterlab/translation';
import React, { useId, useState } from 'react';
import { DeviceUse, NodeUse, SliceUse } from '../../api/models';
import { CommandIDs } from '../../commands';
import { Cell } from '../../state/csv';
import { partsOf, seriesOf } from '../../state/dashboard';
import { Badge, Simulated } from '../parts/controls';
import { CsvButton } from '../parts/download';
import { deviceName, deviceText, modelText } from '../parts/placetexts';
import { gpus, gpusText, memory } from '../parts/texts';
import { useResult, useUi } from '../parts/ui';

/** Draw each node's GPUs, and on each the parts that sessions hold. */
export function NodeTiles(props: { nodes: readonly NodeUse[] }): JSX.Element {
  const { trans, workspace } = useUi();
  // A cluster has many machines without GPUs.
  const withGpus = props.nodes.filter(({ devices }) => devices.length);
  const nodes = withGpus.length ? withGpus : props.nodes;
  const heading = useId();
  const isMixed = new Set(nodes.map(({ simulated }) => simulated)).size > 1;
  const quota = useResult(workspace.quota);
  const projects =
    quota.status === 'ready'
      ? quota.value.projects.map(({ name }) => name).sort()
      : [];
  const title = trans.__('Nodes');
  return (
    <section className="jp-GpuQuota-board" aria-labelledby={heading}>
      <header className="jp-GpuQuota-boardHead">
        <h3 id={heading}>
          {title} <span className="jp-GpuQuota-quiet">{nodes.length}</span>
        </h3>
        <CsvButton
          title={title}
          file="gpu-nodes"
          header={header(trans)}
          rows={() => nodes.flatMap(node => cells(trans, node))}
        />
      </header>
      <div className="jp-GpuQuota-tiles">
        {nodes.map(node => (
          <NodeTile
            key={node.name}
            node={node}
            isMarked={isMixed && node.simulated}
            projects={projects}
          />
        ))}
      </div>
    </section>
  );
}

/** A node; Tab reaches one of its slices, arrow keys move between them. */
function NodeTile(props: {
  node: NodeUse;
  /** The page marks simulated GPUs, unless only some are. */
  isMarked: boolean;
  /** All, in the order of their colours in the charts. */
  projects: readonly string[];
}): JSX.Element {
  const { node } = props;
  const { trans } = useUi();
  const [active, setActive] = useState('');
  const heading = useId();
  const keys = node.devices.flatMap(({ slices }, device) =>
    slices.map((_, index) => keyOf(device, index))
  );
  const tabbed = keys.includes(active) ? active : keys[0];
  return (
    <article className="jp-GpuQuota-tile" aria-labelledby={heading}>
      <h4 id={heading}>
        {node.name} {props.isMarked ? <Simulated trans={trans} /> : null}
        {node.problem ? <Badge kind="warning">{node.problem}</Badge> : null}
      </h4>
      {node.note ? <p>{node.note}</p> : null}
      <div
        role={keys.length ? 'toolbar' : undefined}
        aria-label={
          keys.length ? trans.__('Sessions on %1', node.name) : undefined
        }
        onKeyDown={moveFocus}
      >
        {node.devices.map((use, index) => (
          <Device
            key={index}
            at={index}
            node={node}
            use={use}
            projects={props.projects}
            tabbed={tabbed}
            onActive={setActive}
          />
        ))}
      </div>
    </article>
  );
}

function Device(props: {
  at: number;
  node: NodeUse;
  use: DeviceUse;
  projects: readonly string[];
  tabbed: string | undefined;
  onActive: (key: string) => void;
}): JSX.Element {
  const { node, use } = props;
  const { commands, trans } = useUi();
  const [shown, setShown] = useState<SliceUse | null>(null);
  const { device } = use;
  const summary = summaryText(trans, use, node.problem);
  let index = -1;
  return (
    <div
      className="jp-GpuQuota-device"
      role="group"
      aria-label={trans.__(
        '%1 of %2: %3',
        deviceName(trans, device),
        node.name,
        summary
      )}
    >
      <div className="jp-GpuQuota-deviceHead">
        <b>{deviceName(trans, device)}</b>{' '}
        <span className="jp-GpuQuota-quiet">{modelText(device)}</span>
      </div>
      <div className="jp-GpuQuota-slices">
        {partsOf(use).map(part => {
          const style = { flexGrow: part.milli };
          if (part.kind !== 'slice') {
            return (
              <span
                key={part.kind}
                className={`jp-GpuQuota-slice jp-mod-${part.kind}`}
                style={style}
              >
                <span>
                  {part.kind === 'lost'
                    ? node.problem || device.problem || trans.__('lost')
                    : trans.__('free')}
                </span>
              </span>
            );
          }
          index += 1;
          const key = keyOf(props.at, index);
          const { slice } = part;
          return (
            <button
              key={key}
              type="button"
              className={`jp-GpuQuota-slice ${slice.over ? 'jp-mod-over' : ''}`}
              data-series={seriesOf(props.projects, slice.project)}
              style={style}
              data-slice={key}
              tabIndex={key === props.tabbed ? 0 : -1}
              aria-label={sliceText(trans, slice)}
              onMouseEnter={() => setShown(slice)}
              onMouseLeave={() => setShown(null)}
              onFocus={() => {
                setShown(slice);
                props.onActive(key);
              }}
              onBlur={() => setShown(null)}
              aria-disabled={!slice.session}
              onClick={() => {
                // What is not a session, or not one to look into, has no details.
                if (slice.session) {
                  void commands.execute(CommandIDs.details, {
                    id: slice.session,
                    name: slice.name
                  });
                }
              }}
            >
              <span>{slice.name}</span>
            </button>
          );
        })}
      </div>
      <div className="jp-GpuQuota-deviceText">
        {shown ? sliceText(trans, shown) : summary}
      </div>
    </div>
  );
}

function keyOf(device: number, slice: number): string {
  return `${device}:${slice}`;
}

/** Move between the slices of a node by arrows, Home and End. */
function moveFocus(event: React.KeyboardEvent<HTMLElement>): void {
  const slices = [
    ...event.currentTarget.querySelectorAll<HTMLElement>('[data-slice]')
  ];
  const at = slices.indexOf(event.target as HTMLElement);
  const moves: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowDown: at + 1,
    ArrowLeft: at - 1,
    ArrowUp: at - 1,
    Home: 0,
    End: slices.length - 1
  };
  const next = slices[moves[event.key]];
  if (at >= 0 && next) {
    event.preventDefault();
    next.focus();
  }
}

function summaryText(
  trans: TranslationBundle,
  use: DeviceUse,
  problem = ''
): string {
  const { device, free, utilisation, memory_used: used } = use;
  if (problem) {
    return problem;
  }
  if (device.lost) {
    return trans.__('lost: the driver does not respond');
  }
  if (device.problem) {
    return device.problem;
  }
  return [
    free ? trans.__('%1 free', gpus(free)) : trans.__('full'),
    utilisation === null ? '' : trans.__('%1 % busy', utilisation),
    used === null ? '' : trans.__('%1 of memory in use', memory(used))
  ]
    .filter(Boolean)
    .join(', ');
}

/** Return the owner and size of a slice: `exp-1: 0.5 GPU, 16 GiB; team-a, ana`. */
function sliceText(trans: TranslationBundle, slice: SliceUse): string {
  const { name, milli, memory: mib, mig, compute, used } = slice;
  return [
    trans.__('%1: %2, %3', name, gpusText(trans, milli), memory(mib)),
    [slice.project, slice.owner].filter(Boolean).join(', '),
    mig ? trans.__('MIG %1', mig) : '',
    compute ? trans.__('%1 % compute', compute) : '',
    used === null ? '' : trans.__('%1 measured', memory(used)),
    slice.over ? trans.__('over its share') : ''
  ]
    .filter(Boolean)
    .join('; ');
}

function header(trans: TranslationBundle): string[] {
  return [
    trans.__('Node'),
    trans.__('GPU'),
    trans.__('Model'),
    trans.__('Session'),
    trans.__('Project'),
    trans.__('User'),
    trans.__('GPUs'),
    trans.__('Memory (MiB)'),
    trans.__('Simulated')
  ];
}

/** List a node's parts: one line for each session on a device, one for what is free or lost. */
function cells(trans: TranslationBundle, node: NodeUse): Cell[][] {
  return node.devices.flatMap(use =>
    partsOf(use).map(part => {
      const { device } = use;
      const slice = part.kind === 'slice' ? part.slice : null;
      return [
        node.name,
        deviceText(device) || deviceName(trans, device),
        device.model,
        slice?.name ?? `(${part.kind})`,
        slice?.project ?? null,
        slice?.owner ?? null,
        part.milli / 1000,
        slice?.memory ?? null,
        device.simulated ? 'yes' : 'no'
      ];
    })
  );
}
