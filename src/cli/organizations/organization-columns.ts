import type { OrganizationListing } from '../../organization/index';
import type { Column } from '../table';
import { cut, nameOfAccess } from '../words';

export const ORGANIZATION_COLUMNS: readonly Column<OrganizationListing>[] = [
  { heading: 'ID', of: ({ id }) => id },
  { heading: 'SLUG', of: ({ slug }) => slug },
  { heading: 'NAME', of: ({ name }) => name },
  { heading: 'PLUGINS ACCESS', of: ({ plugins_access_level: level }) => `${nameOfAccess(level)} (${level})` },
  { heading: 'MEMBERS', of: ({ members }) => members },
  { heading: 'PROJECTS', of: ({ projects }) => projects },
  { heading: 'METADATA', of: ({ metadata }) => cut(JSON.stringify(metadata), 40) },
];
