/** Zip files without compression (PKWARE's APPNOTE.TXT 6.3.10, 4.3), with names in UTF-8. Pure. */

const CRC_TABLE = Array.from({ length: 256 }, (_, i) => {
  for (let bit = 0; bit < 8; bit++) i = i & 1 ? (i >>> 1) ^ 0xedb88320 : i >>> 1;
  return i >>> 0;
});

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** @param {{path: string, file: Blob}[]} files */
export async function zip(files) {
  const parts = [], directory = [];
  let offset = 0;
  for (const { path, file } of files) {
    const name = new TextEncoder().encode(path), bytes = new Uint8Array(await file.arrayBuffer());
    // from "version needed" to "extra field length": UTF-8 flag, stored, 1980-01-01
    const fields = (view, at) => {
      [20, 0x0800, 0, 0, 0x21].forEach((value, i) => view.setUint16(at + 2 * i, value, true));
      [crc32(bytes), bytes.length, bytes.length].forEach((value, i) => view.setUint32(at + 10 + 4 * i, value, true));
      view.setUint16(at + 22, name.length, true);
    };
    const local = new DataView(new ArrayBuffer(30)), central = new DataView(new ArrayBuffer(46));
    local.setUint32(0, 0x04034b50, true);
    fields(local, 4);
    central.setUint32(0, 0x02014b50, true);
    central.setUint16(4, 20, true);
    fields(central, 6);
    central.setUint32(42, offset, true);
    parts.push(local, name, file);
    directory.push(central, name);
    offset += 30 + name.length + bytes.length;
  }
  const size = directory.reduce((sum, part) => sum + part.byteLength, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(12, size, true);
  end.setUint32(16, offset, true);
  return new Blob([...parts, ...directory, end]);
}
