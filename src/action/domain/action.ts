import { bytecodeErrorOf, type CompileRegex } from './bytecode-error';
import { normalised, type Step } from './step';

/** What a caller may set; absent fields stay as they are. */
export interface ActionDetails {
  readonly name?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly postToSlack?: boolean;
  readonly slackMessageFormat?: string;
  readonly steps?: readonly Partial<Step>[];
  readonly deleted?: boolean;
  readonly lastCalculatedAt?: Date;
  readonly pinnedAt?: Date | null;
}

/** A named definition that matches events of a project by steps. It is deleted softly only (D7). */
export class Action {
  readonly id!: number;
  private name: string;
  private description = '';
  private tags: string[] = [];
  private postToSlack = false;
  private slackMessageFormat = '';
  private steps: Step[] = [];
  private deleted = false;
  private lastCalculatedAt: Date;
  private pinnedAt: Date | null;
  private bytecodeError: string | null = null;

  private constructor(
    readonly projectId: number,
    private readonly createdById: number | null,
    details: ActionDetails & { readonly name: string },
    private readonly createdAt: Date,
  ) {
    this.name = details.name;
    this.lastCalculatedAt = details.lastCalculatedAt ?? createdAt;
    this.pinnedAt = details.pinnedAt ?? null;
  }

  /** Unlike later, a time of pinning is taken as it is given (ACT-11). */
  static define(
    projectId: number,
    creatorId: number,
    details: ActionDetails & { readonly name: string },
    at: Date,
    compileRegex: CompileRegex,
  ): Action {
    const action = new Action(projectId, creatorId, details, at);
    action.change({ ...details, pinnedAt: undefined }, at, compileRegex);
    return action;
  }

  /** The name that no other action of the project may have; a deleted one claims none (ACT-06). */
  get claimedName(): string | null {
    return this.deleted ? null : this.name;
  }

  /** Steps and tags are replaced as a whole (ACT-09). A step that does not compile is kept and told of (D21). */
  change(details: ActionDetails, at: Date, compileRegex: CompileRegex): void {
    this.name = details.name ?? this.name;
    this.description = details.description ?? this.description;
    this.postToSlack = details.postToSlack ?? this.postToSlack;
    this.slackMessageFormat = details.slackMessageFormat ?? this.slackMessageFormat;
    this.deleted = details.deleted ?? this.deleted;
    this.lastCalculatedAt = details.lastCalculatedAt ?? this.lastCalculatedAt;
    if (details.tags) this.tags = distinct(details.tags);
    if (details.pinnedAt !== undefined) this.pin(details.pinnedAt, at);
    if (details.steps) {
      this.steps = details.steps.map(normalised);
      this.bytecodeError = bytecodeErrorOf(this.steps, compileRegex);
    }
  }

  /** Null unpins; any time pins at the present one, unless it is pinned already (ACT-11). */
  private pin(wanted: Date | null, at: Date): void {
    this.pinnedAt = wanted === null ? null : (this.pinnedAt ?? at);
  }
}

/** Trimmed, each once, byte for byte otherwise, in the order given (D21). */
function distinct(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()))];
}
