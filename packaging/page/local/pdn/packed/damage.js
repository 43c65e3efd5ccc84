// What is wrong with a packed file, and the checksums that tell.

export class Damage extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "Damage";
  }
}

/** Refuses a file that ends too early. @returns {never} */
export function refuseEnd() {
  throw new Damage("Compressed file ended before the end-of-stream marker was reached");
}

const REFLECTED = table(0xedb88320, (crc, polynomial) => (crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1));
const FORWARD = new Uint32Array(256).map((_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc;
});

/** @param {number} polynomial @param {(crc: number, polynomial: number) => number} step */
function table(polynomial, step) {
  return new Uint32Array(256).map((_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = step(crc, polynomial);
    return crc;
  });
}

/**
 * CRC-32 of gzip and xz, continued from that of the bytes before.
 * @param {Uint8Array} bytes
 * @param {number} [before]
 */
export function crc32(bytes, before = 0) {
  let crc = ~before;
  for (let i = 0; i < bytes.length; i++) crc = REFLECTED[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** CRC-32 of bzip2. @param {Uint8Array} bytes @param {number} [before] */
export function crc32Forward(bytes, before = 0) {
  let crc = ~before;
  for (let i = 0; i < bytes.length; i++) crc = FORWARD[((crc >>> 24) ^ bytes[i]) & 255] ^ (crc << 8);
  return ~crc >>> 0;
}

// halves of the table of CRC-64, low and high
const LOW = new Uint32Array(256),
  HIGH = new Uint32Array(256);
for (let byte = 0; byte < 256; byte++) {
  let crc = BigInt(byte);
  for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ 0xc96c5795d7870f42n : crc >> 1n;
  LOW[byte] = Number(crc & 0xffffffffn);
  HIGH[byte] = Number(crc >> 32n);
}

/**
 * CRC-64 of xz, low half and high half.
 * @param {Uint8Array} bytes
 * @param {[number, number]} [before]
 * @returns {[number, number]}
 */
export function crc64(bytes, before = [0, 0]) {
  let [low, high] = [~before[0], ~before[1]];
  for (let i = 0; i < bytes.length; i++) {
    const byte = (low ^ bytes[i]) & 255;
    low = ((low >>> 8) | (high << 24)) ^ LOW[byte];
    high = (high >>> 8) ^ HIGH[byte];
  }
  return [~low >>> 0, ~high >>> 0];
}
