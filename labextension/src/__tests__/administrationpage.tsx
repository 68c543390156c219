import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import React from 'react';
import { AuditEntry, NodeGroup, Projects, Rules } from '../api/models';
import { AdministrationView } from '../views/administration/administration';
import { makeGroups, makeQuota, makeRules, makeSetProject } from './builders';
import { IReply } from './fakeserver';
import { Page } from './page';

const ENTRY: AuditEntry = {
  id: '1',
  at: '2026-01-01T12:00:00Z',
  who: 'ben',
  what: 'changed project team-a',
  before: '{"quota": 3000}',
  after: '{"quota": 4000}'
};

/** Return the answer to a call that the server refuses. */
export function problem(code: string, message: string, hint = ''): IReply {
  return { status: 409, body: { code, message, hint, fields: [] } };
}

/** Return the answer to a call with invalid fields. */
export function invalid(fields: Record<string, string>): IReply {
  return {
    status: 422,
    body: {
      code: 'InvalidFields',
      message: 'Not acceptable.',
      hint: '',
      fields: Object.entries(fields).map(([field, message]) => ({
        field,
        message,
        hint: ''
      }))
    }
  };
}

/** The page of an admin, with the settings on its server. */
export class AdministrationPage extends Page {
  constructor() {
    super();
    this.server.on('GET /quota', { body: makeQuota({ admin: true }) });
    this.server.on('GET /audit', {
      body: { items: [ENTRY], total: 600, revision: '1', next: '1' }
    });
    this.foresee('1 session would start.');
    this.setProjects();
  }

  /** Make every previewed change have an effect. */
  foresee(message: string, changes: object = {}): void {
    this.server.on('POST /settings/preview', {
      body: { message, projects: [], sessions: [], warnings: [], ...changes }
    });
  }

  setProjects(changes: Partial<Projects> = {}): void {
    this.server.on('GET /projects', {
      body: {
        items: [
          makeSetProject({ members: ['ana'] }),
          makeSetProject({ name: 'team-b', draining: true })
        ],
        source: 'store',
        revision: '1',
        file: '',
        warnings: [],
        ...changes
      }
    });
  }

  setRules(changes: Partial<Rules>): void {
    this.server.on('GET /rules', { body: makeRules(changes) });
  }

  setGroups(...items: NodeGroup[]): void {
    this.server.on('GET /groups', { body: makeGroups(items) });
  }

  /** Return the bodies that a path was sent. */
  sent(path: string): unknown[] {
    return this.server.asked
      .filter(asked => asked.path === path && asked.body)
      .map(({ body }) => body);
  }

  /** Show the view and wait until all of it is there. */
  async open(): Promise<void> {
    const { projects, rules, groups, audit } = this.store.administration;
    const { nodes } = this.store;
    [projects, rules, groups, audit, nodes].forEach(item => item.watch());
    this.show(<AdministrationView />);
    await screen.findByRole('table', { name: /Projects/ });
    await screen.findByRole('region', { name: /^Rules/ });
    await screen.findByRole('region', { name: /Node groups/ });
    await screen.findByRole('table', { name: /Changes/ });
  }

  async click(name: string | RegExp): Promise<void> {
    fireEvent.click(await screen.findByRole('button', { name }));
  }

  type(label: string, value: string): void {
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
  }

  value(label: string): string {
    return screen.getByLabelText<HTMLInputElement>(label).value;
  }

  /** Press a button of the dialog that opens; returns what it had said. */
  async answer(button: string): Promise<string | null> {
    const found = await waitFor(() => {
      const buttons = [
        ...document.querySelectorAll<HTMLElement>('.jp-Dialog button')
      ];
      const wanted = buttons.find(({ textContent }) => textContent === button);
      expect(wanted).toBeDefined();
      return wanted!;
    });
    const dialog = found.closest('.jp-Dialog')!;
    const text = dialog.textContent;
    await act(async () => found.click());
    await waitFor(() => expect(dialog.isConnected).toBe(false));
    return text;
  }

  dispose(): void {
    super.dispose();
    document.querySelectorAll('.jp-Dialog').forEach(dialog => dialog.remove());
  }
}
