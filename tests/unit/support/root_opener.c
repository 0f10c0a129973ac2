#include "tests/unit/support/root_opener.h"

#include "daemon/model/root.h"

static int ask(const void *context, const struct import_file_request *request, struct import_file_reply *reply)
{
    return root_answer((int)(intptr_t)context, request, reply);
}

struct opener *root_opener(int root_fd, const char *model_path, const struct limits *limits)
{
    const struct file_source source = {.ask = ask, .context = (const void *)(intptr_t)root_fd};
    return opener_new(&source, model_path, limits);
}
