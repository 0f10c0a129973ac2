#include "import/text/extras.h"

#include "anim/model/json_check.h"

int extras_add(struct extras *extras, enum extra_owner owner, uint32_t index, const char *json, size_t size_bytes,
               const char *where)
{
    const uint64_t limit = extras->limits->value[LIMIT_EXTRAS_BYTES];
    if (!json_check(json, size_bytes)) {
        bake_warn(extras->builder, "extras_dropped", "%s are not JSON as RFC 8259 has it: they are left out", where);
        return 0;
    }
    if (size_bytes > limit || extras->size_bytes > limit - size_bytes) {
        bake_warn(extras->builder, "extras_dropped", "the file has more than %llu bytes of extras: some are left out",
                  (unsigned long long)limit);
        return 0;
    }
    extras->size_bytes += size_bytes;
    const struct str text = bake_long_text(extras->builder, json, size_bytes);
    struct extra *extra = bake_add_extra(extras->builder, 1);
    if (extra == NULL)
        return -1;
    *extra = (struct extra){.owner = owner, .index = index, .json = text};
    return 0;
}
