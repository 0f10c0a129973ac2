#include "tests/unit/support/root_files.h"

#include "daemon/model/root.h"

static int ask(const void *context, const struct import_file_request *request, struct import_file_reply *reply)
{
    return root_serve((int)(intptr_t)context, request, reply);
}

struct source_files *root_files_open(int root_fd, const char *model_path, const struct limits *limits)
{
    const struct file_client source = {.ask = ask, .context = (const void *)(intptr_t)root_fd};
    return source_files_new(&source, model_path, limits);
}
