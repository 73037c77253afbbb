/** Something that happened in one context and that others react to. */
export abstract class DomainEvent {
  /** Keeps event classes apart for the type checker, which compares by shape. */
  protected readonly occurred = true;
}

type EventClass<E extends DomainEvent> = abstract new (...values: never[]) => E;
type Reaction = (event: DomainEvent) => Promise<void>;

/**
 * Lets a context react to a context below it without being known to it. Reactions run one after another within
 * the publisher's transaction: they all happen or nothing does.
 */
export class DomainEvents {
  private readonly reactions = new Map<EventClass<DomainEvent>, Reaction[]>();

  on<E extends DomainEvent>(event: EventClass<E>, reaction: (event: E) => Promise<void>): void {
    this.reactions.set(event, [...(this.reactions.get(event) ?? []), reaction as Reaction]);
  }

  async publish(event: DomainEvent): Promise<void> {
    for (const reaction of this.reactions.get(event.constructor as EventClass<DomainEvent>) ?? []) {
      await reaction(event);
    }
  }
}
