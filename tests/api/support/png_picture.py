"""A PNG of posed, decoded."""
import struct
import zlib


class Picture:
    """A PNG, decoded: rows of (r, g, b, a). Reads only what posed writes: 8 bits, RGB or RGBA, filters None and Up."""

    def __init__(self, data):
        assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:40]
        chunks, at = [], 8
        while at < len(data):
            size, kind = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + size]
            assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
            chunks.append((kind, body))
            at += 12 + size
        assert [kind for kind, _ in chunks] == [b"IHDR", b"sRGB", b"IDAT", b"IEND"]
        self.width, self.height, depth, kind = struct.unpack(">IIBB", chunks[0][1][:10])
        assert depth == 8 and kind in (2, 6)
        self.has_alpha = kind == 6
        self.rows = self._rows(zlib.decompress(chunks[2][1]), 4 if self.has_alpha else 3)

    def _rows(self, data, channels):
        size, rows, above = self.width * channels, [], bytes(self.width * channels)
        assert len(data) == (size + 1) * self.height
        for y in range(self.height):
            kind, line = data[y * (size + 1)], data[y * (size + 1) + 1:(y + 1) * (size + 1)]
            assert kind in (0, 2)
            above = bytes((a + b) & 255 for a, b in zip(line, above)) if kind == 2 else line
            pixels = [tuple(above[i:i + channels]) for i in range(0, size, channels)]
            rows.append([p if self.has_alpha else (*p, 255) for p in pixels])
        return rows

    def covered(self):
        """Left, top, right, bottom of all pixels that are not transparent."""
        places = [(x, y) for y, row in enumerate(self.rows) for x, pixel in enumerate(row) if pixel[3]]
        return (min(x for x, _ in places), min(y for _, y in places),
                max(x for x, _ in places), max(y for _, y in places))


def picture(answer):
    assert answer.status == 200, answer.body[:500]
    assert answer.headers["content-type"] == "image/png"
    return Picture(answer.body)
