#include "import/text/document_facts.h"

#include "import/text/json_write.h"

#include <string.h>

void document_fact_add(struct buf *facts, const char *name, const char *text, size_t size_bytes)
{
    if (size_bytes == 0)
        return;
    buf_put_char(facts, facts->size_bytes == 0 ? '{' : ',');
    json_write_string(facts, name, strlen(name));
    buf_put_char(facts, ':');
    json_write_string(facts, text, size_bytes);
}

int document_facts_put(struct import *import, struct buf *facts, const char *where, struct err *err)
{
    int rc = 0;
    if (facts->size_bytes > 0) {
        buf_put_char(facts, '}');
        rc = import_add_carried(import, CARRY_ASSET, 0, "extras", facts->data, facts->size_bytes, where, err);
    }
    buf_clear(facts);
    return rc;
}
