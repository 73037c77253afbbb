/** How far a caller reaches: an organization with all its projects, or one of its projects (D16). */
export interface ExportScope {
  readonly organizationId: string;
  readonly projectId: number | null;
}
