/** A column of a table: its heading, and what stands in it for each row. */
export interface Column<Row> {
  readonly heading: string;
  readonly of: (row: Row) => string | number;
}

const GAP = '  ';

/** What takes two places in a terminal: the scripts of East Asia, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

const graphemes = new Intl.Segmenter();

/** Aligned columns with headings, one row a line whatever its length; the same on a terminal and in a file. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map(({ of }) => printable(String(of(row))))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => widthOf(cells[index] ?? ''))));
  return lines
    .map((cells) =>
      cells
        .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - widthOf(cell)))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** Without what would move the cursor or colour the screen: texts come from whoever may name something. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu, '�');

function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
