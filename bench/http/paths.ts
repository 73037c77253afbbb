import { KEY } from '../support/server';
import type { World } from './world';

/** What is asked again and again: each of the paths in turn. `{n}` in the body is another number in each request. */
export interface Requests {
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly paths: readonly string[];
  readonly body?: string;
  /** Without a key. */
  readonly anonymous?: boolean;
}

/** All servers are called by one name, so that the links in their answers are the same. */
const HOST = 'bench.example.com';

export const headersOf = ({ anonymous, body }: Requests): Record<string, string> => ({
  Host: HOST,
  ...(anonymous ? {} : { Authorization: `Bearer ${KEY}` }),
  ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
});

/** Something that a caller does, and that is measured. */
export interface Path {
  readonly name: string;
  readonly title: string;
  readonly status: number;
  readonly requests: (world: World) => Requests;
  /** How many results a page must show; where a small scale has fewer, all. */
  readonly shows?: number;
  /** At most so many at a time. */
  readonly connections?: number;
  /** Of a write: takes back what it did, so that another server can do the same. */
  readonly undo?: (world: World) => { readonly text: string; readonly values: readonly unknown[] };
}

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

const actions = ({ projectId }: World) => `/api/projects/${projectId}/actions/`;

const page = (name: string, title: string, shows: number, path: (world: World) => string): Path => ({
  name,
  title,
  shows,
  status: 200,
  requests: (world) => ({ method: 'GET', paths: [path(world)] }),
});

const STEP = {
  event: '$autocapture',
  properties: [{ key: 'plan', value: ['pro', 'team'], operator: 'exact', type: 'person' }],
  selector: 'form.signup > button',
  tag_name: 'button',
  text: 'Sign up',
  text_matching: null,
  href: null,
  href_matching: null,
  url: '/signup',
  url_matching: 'contains',
};

export const PATHS: readonly Path[] = [
  {
    // What a request costs before its key is looked up.
    name: 'no-key',
    title: 'GET an organization without a key (401)',
    status: 401,
    requests: ({ organizationId }) => ({
      method: 'GET',
      paths: [`/api/organizations/${organizationId}/`],
      anonymous: true,
    }),
  },
  {
    // The key tells the organizations of its user: that it is none of them is known without another statement.
    name: 'key-check',
    title: "Key check alone: GET a stranger's organization (404)",
    status: 404,
    requests: () => ({ method: 'GET', paths: [`/api/organizations/${UNKNOWN}/`] }),
  },
  {
    name: 'organization',
    title: 'GET one organization',
    status: 200,
    requests: ({ organizationId }) => ({ method: 'GET', paths: [`/api/organizations/${organizationId}/`] }),
  },
  {
    name: 'action',
    title: 'GET one action',
    status: 200,
    requests: (world) => ({ method: 'GET', paths: world.actionIds.map((id) => `${actions(world)}${id}/`) }),
  },
  page('actions-10', 'List of 10 actions', 10, (world) => `${actions(world)}?limit=10`),
  page('actions-100', 'List of 100 actions', 100, (world) => `${actions(world)}?limit=100`),
  page('actions-1000', 'List of 1,000 actions', 1000, (world) => `${actions(world)}?limit=1000`),
  page(
    'members-100',
    'List of 100 members',
    100,
    ({ organizationId }) => `/api/organizations/${organizationId}/members/?limit=100`,
  ),
  page(
    'batch-exports-100',
    'List of 100 batch exports with runs',
    100,
    ({ projectId }) => `/api/projects/${projectId}/batch_exports/?limit=100`,
  ),
  {
    name: 'action-patch',
    title: 'PATCH an action',
    status: 200,
    requests: ({ writtenProjectId, writtenActionIds }) => ({
      method: 'PATCH',
      paths: writtenActionIds.map((id) => `/api/projects/${writtenProjectId}/actions/${id}/`),
      body: '{"description":"As it is after change {n}"}',
    }),
    undo: ({ writtenProjectId }) => ({
      text: "UPDATE actions SET description = 'As it was' WHERE project_id = $1 AND description <> 'As it was'",
      values: [writtenProjectId],
    }),
  },
  {
    name: 'action-post',
    title: 'POST an action',
    status: 201,
    requests: ({ writtenProjectId }) => ({
      method: 'POST',
      paths: [`/api/projects/${writtenProjectId}/actions/`],
      body: JSON.stringify({
        name: 'Signed up {n}',
        description: 'A new account',
        tags: ['growth'],
        steps: [STEP],
      }),
    }),
    undo: ({ writtenProjectId }) => ({
      text: "DELETE FROM actions WHERE project_id = $1 AND name LIKE 'Signed up %'",
      values: [writtenProjectId],
    }),
  },
  {
    name: 'actions-csv',
    title: 'CSV of 10,000 actions',
    status: 200,
    requests: (world) => ({ method: 'GET', paths: [`${actions(world)}?format=csv`] }),
    // As many as the server makes at once for one user; others would wait, and then be refused.
    connections: 4,
  },
];
