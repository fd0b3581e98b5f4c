/** White space, and characters that show nothing: zero-width, control, filler, and the empty Braille pattern. */
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]*$/u

/** Whether a text shows nothing at all. */
export function isBlank(text: string): boolean {
  return BLANK.test(text)
}
