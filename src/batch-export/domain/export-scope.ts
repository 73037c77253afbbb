/** How far a caller reaches: those projects of an organization that they see, or one of its projects (D16). */
export interface ExportScope {
  readonly organizationId: string;
  readonly projectId: number | null;
  /** The caller, who does not see every private project. */
  readonly userId: number;
}
