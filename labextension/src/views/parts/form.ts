import { Dialog } from '@jupyterlab/apputils';
import { UUID } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';

/** One field of a dialog. */
export interface IField {
  readonly label: string;
  readonly placeholder?: string;
  readonly value?: string;
  /** What is proposed while the user types. */
  readonly proposals?: readonly string[];
}

/** The fields of a dialog, one below the other; the dialog's value is what they contain. */
export class Form<Name extends string>
  extends Widget
  implements Dialog.IBodyWidget<Record<Name, string>>
{
  constructor(fields: Record<Name, IField>) {
    super();
    this.addClass('jp-GpuQuota-dialogForm');
    for (const [name, field] of Object.entries<IField>(fields)) {
      this._inputs.set(name, this._add(field));
    }
  }

  getValue(): Record<Name, string> {
    const entries = [...this._inputs].map(([name, { value }]) => [
      name,
      value.trim()
    ]);
    return Object.fromEntries(entries) as Record<Name, string>;
  }

  private _add(field: IField): HTMLInputElement {
    const { label, placeholder = '', proposals = [], value = '' } = field;
    const line = document.createElement('label');
    const input = document.createElement('input');
    input.className = 'jp-mod-styled';
    Object.assign(input, { placeholder, value });
    line.append(label, input);
    if (proposals.length) {
      const list = document.createElement('datalist');
      list.id = UUID.uuid4();
      list.append(...proposals.map(text => new Option(text, text)));
      input.setAttribute('list', list.id);
      line.append(list);
    }
    this.node.append(line);
    return input;
  }

  private _inputs = new Map<string, HTMLInputElement>();
}
