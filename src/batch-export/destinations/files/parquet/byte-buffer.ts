const SMALLEST = 4096;

/** Bytes that are added at the end. */
export class ByteBuffer {
  private bytes = Buffer.allocUnsafe(SMALLEST);
  length = 0;

  /** Room for these many more bytes, which the caller fills from the returned place on. */
  grow(size: number): { bytes: Buffer; at: number } {
    const at = this.length;
    this.length += size;
    if (this.length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.length, this.bytes.length * 2));
      this.bytes.copy(larger, 0, 0, at);
      this.bytes = larger;
    }
    return { bytes: this.bytes, at };
  }

  view(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  /** Empty again; a buffer that grew for one large value is not kept. */
  clear(kept: number): void {
    this.length = 0;
    if (this.bytes.length > kept) this.bytes = Buffer.allocUnsafe(SMALLEST);
  }
}
