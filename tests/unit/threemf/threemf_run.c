#include "tests/unit/threemf/threemf_run.h"

#include "tests/unit/support/check.h"

#include <errno.h>
#include <string.h>

static int find_nothing(const void *context, const struct import_file_request *request, struct import_file_reply *reply)
{
    (void)context;
    (void)request;
    *reply = (struct import_file_reply){.error = ENOENT};
    return -1;
}
static const struct file_client NO_FILES = {.ask = find_nothing};

void threemf_run_init(struct threemf_run *run)
{
    *run = (struct threemf_run){0};
    limits_default(&run->limits);
    bake_builder_init(&run->builder, 1 << 26);
}

void threemf_run_fini(struct threemf_run *run)
{
    bake_builder_fini(&run->builder);
    source_files_free(run->files);
}

void threemf_run_bytes(struct threemf_run *run, const void *bytes, size_t size_bytes)
{
    run->files = source_files_new(&NO_FILES, "test.3mf", &run->limits);
    struct import import = {.path = "test.3mf",
                            .bytes = bytes,
                            .size_bytes = size_bytes,
                            .files = run->files,
                            .builder = &run->builder,
                            .info = bake_add_info(&run->builder, 1),
                            .limits = &run->limits};
    run->rc = import_threemf(&import, &run->err);
    if (run->rc == 0)
        run->rc = bake_finish(&run->builder, &run->err);
    if (run->rc < 0) {
        assert_int_equal(run->err.code, run->rc);
        assert_true(run->err.message[0] != '\0');
    }
}

void threemf_run_parts(struct threemf_run *run, const char *const *names_and_texts)
{
    struct stored_file files[16];
    uint16_t count = 0;
    for (; names_and_texts[0] != NULL; names_and_texts += 2)
        files[count++] = (struct stored_file){names_and_texts[0], names_and_texts[1], strlen(names_and_texts[1])};
    struct buf zip;
    buf_init(&zip, 0);
    stored_zip(&zip, files, count);
    threemf_run_bytes(run, zip.data, zip.size_bytes);
    buf_fini(&zip);
}

void threemf_run_model(struct threemf_run *run, const char *model)
{
    threemf_run_parts(run, (const char *const[]){"_rels/.rels", THREEMF_RELATIONSHIPS("/3D/3dmodel.model"),
                                                 "3D/3dmodel.model", model, NULL});
}

bool threemf_run_warned(const struct threemf_run *run, const char *code)
{
    for (uint32_t w = 0; w < run->builder.warning_count; w++) {
        const struct str str = run->builder.warnings[w].code;
        if (str.size_bytes == strlen(code) && memcmp(run->builder.text + str.offset, code, str.size_bytes) == 0)
            return true;
    }
    return false;
}
