/* floats - holds the server's float writer against the standard library's, which shares nothing with it.
 *
 *   floats [COUNT] [THREADS]
 *
 * Writes COUNT floats (4194304 unless told; 4294967296: every bit pattern there is) and checks of each that its text is
 * a JSON number, that std::from_chars reads it back bit for bit (strtof too, of each 61st), and that its digits and
 * their place are the very ones that std::to_chars finds: as few as possible, and of those the nearest. The patterns
 * are spread over all exponents, subnormals and both signs; those around every power of two and the smallest subnormals
 * are always among them. Ends with a line of totals, 1 on a failure. */
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

extern "C" {
#include "wire/encode/number.h"
}

namespace
{

constexpr uint64_t PATTERNS = uint64_t{1} << 32;
constexpr uint32_t SPREAD = 0x9e3779b1; /* odd: i * SPREAD mod 2^32 meets no pattern twice */
constexpr int NEAR = 4096;              /* patterns on each side of a power of two */

std::atomic<uint64_t> passed, failed;

/* digits without zeros at either end, and ten to which power the first of them counts */
struct digits {
    char text[24];
    int count, exponent;
};

/* False: no number of JSON's grammar (RFC 8259, 6), which is that of std::to_chars but for the signs of exponents. */
bool read(const char *p, const char *end, bool is_json, digits &out)
{
    int before = 0, zeros = 0, fraction_zeros = 0;
    bool has_point = false, is_started = false;
    out.count = 0;
    if (p < end && *p == '-')
        p++;
    if (is_json && (p == end || (*p == '0' && p + 1 < end && p[1] >= '0' && p[1] <= '9')))
        return false;
    const char *first = p;
    for (; p < end && ((*p >= '0' && *p <= '9') || (*p == '.' && !has_point && p > first)); p++) {
        if (*p == '.') {
            has_point = true;
            if (is_json && (p + 1 == end || p[1] < '0' || p[1] > '9'))
                return false;
            continue;
        }
        is_started = is_started || *p != '0';
        if (is_started) {
            before += !has_point;
            zeros = *p == '0' ? zeros + 1 : 0;
            if (out.count == static_cast<int>(sizeof out.text))
                return false;
            out.text[out.count++] = *p;
        } else if (has_point) {
            fraction_zeros++;
        }
    }
    if (p == first)
        return false;
    int exponent = 0;
    if (p < end && *p == 'e') {
        p++;
        if (p < end && *p == '+')
            p++;
        const auto [rest, error] = std::from_chars(p, end, exponent);
        if (error != std::errc() || rest == p)
            return false;
        p = rest;
    }
    out.count -= zeros;
    out.exponent = exponent + (before > 0 ? before - 1 : -fraction_zeros - 1);
    return p == end;
}

bool is_right(uint32_t bits, bool has_strtof)
{
    float value, back = 0;
    char text[NUMBER_SIZE + 1], other[64];
    std::memcpy(&value, &bits, sizeof value);
    char *end = text + number_put_float(text, value);
    *end = '\0';
    const char *other_end = std::to_chars(other, other + sizeof other, value, std::chars_format::scientific).ptr;
    digits ours, theirs;
    bool good = end <= text + NUMBER_SIZE && read(text, end, true, ours) && read(other, other_end, false, theirs);
    const auto [rest, error] = std::from_chars(text, end, back);
    good = good && error == std::errc() && rest == end && std::memcmp(&back, &bits, sizeof bits) == 0;
    good = good && ours.count == theirs.count &&
           std::memcmp(ours.text, theirs.text, static_cast<size_t>(ours.count)) == 0 &&
           (ours.count == 0 || ours.exponent == theirs.exponent);
    if (good && has_strtof) {
        back = std::strtof(text, nullptr);
        good = std::memcmp(&back, &bits, sizeof bits) == 0;
    }
    if (!good && failed < 20)
        std::printf("floats: %08x is '%s', the standard library has '%.*s'\n", bits, text,
                    static_cast<int>(other_end - other), other);
    return good;
}

struct tally {
    uint64_t passed = 0, failed = 0;
    void check(uint32_t bits, bool has_strtof)
    {
        if ((bits >> 23 & 0xff) == 0xff)
            return;
        (is_right(bits, has_strtof) ? passed : failed)++;
    }
    void add() const
    {
        ::passed += passed;
        ::failed += failed;
    }
};

/* Neighbours of the powers of two; around the first of them, zero, lie the subnormals. */
void check_edges()
{
    tally tally;
    for (uint32_t power = 0; power < 0xff; power++)
        for (int near = power == 0 ? 0 : -NEAR; near < NEAR; near++)
            for (uint32_t sign = 0; sign < 2; sign++)
                tally.check((sign << 31) | ((power << 23) + static_cast<uint32_t>(near)), true);
    tally.add();
}

void check_spread(uint64_t begin, uint64_t end)
{
    tally tally;
    for (uint64_t i = begin; i < end; i++)
        tally.check(static_cast<uint32_t>(i) * SPREAD, i % 61 == 0);
    tally.add();
}

} // namespace

int main(int argc, char **argv)
{
    const uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1 << 22;
    const uint64_t threads = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2;
    if (argc > 3 || count < 1 || count > PATTERNS || threads < 1 || threads > 256) {
        std::fprintf(stderr, "usage: floats [COUNT] [THREADS], COUNT up to %llu\n",
                     static_cast<unsigned long long>(PATTERNS));
        return 2;
    }
    check_edges();
    std::vector<std::thread> workers;
    for (uint64_t i = 0; i < threads; i++)
        workers.emplace_back(check_spread, count * i / threads, count * (i + 1) / threads);
    for (auto &worker : workers)
        worker.join();
    std::printf("%llu passed, %llu failed, 0 skipped\n", static_cast<unsigned long long>(passed),
                static_cast<unsigned long long>(failed));
    return failed == 0 ? 0 : 1;
}
