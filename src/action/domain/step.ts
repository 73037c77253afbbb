/** How a text of a step is compared; absent, the kind of text decides (MATCH-04, MATCH-09). */
export const MATCHINGS = ['contains', 'regex', 'exact'] as const;
export type Matching = (typeof MATCHINGS)[number];

/** A condition on the properties of an event, a person or an element (MATCH-20..28), kept as it was given. */
export type PropertyFilter = Readonly<Record<string, unknown>>;

/** One way in which an event can match an action: all that it gives must hold (MATCH-01). */
export interface Step {
  readonly event: string | null;
  readonly properties: readonly PropertyFilter[] | null;
  readonly selector: string | null;
  readonly tag_name: string | null;
  readonly text: string | null;
  readonly text_matching: Matching | null;
  readonly href: string | null;
  readonly href_matching: Matching | null;
  readonly url: string | null;
  readonly url_matching: Matching | null;
}

/** Exactly ten keys in their order, null where nothing was given; an url is compared by `contains` (ACT-02). */
export function normalised(step: Partial<Step>): Step {
  return {
    event: step.event ?? null,
    properties: step.properties ?? null,
    selector: step.selector ?? null,
    tag_name: step.tag_name ?? null,
    text: step.text ?? null,
    text_matching: step.text_matching ?? null,
    href: step.href ?? null,
    href_matching: step.href_matching ?? null,
    url: step.url ?? null,
    // Absent means `contains`; a null that was given stays, and is compared the same way (MATCH-04).
    url_matching: step.url_matching === undefined ? 'contains' : step.url_matching,
  };
}
