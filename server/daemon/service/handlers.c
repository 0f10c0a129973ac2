#include "daemon/service/handlers.h"

static const struct handler gallery = {.tell = service_tell_gallery}, model_page = {.tell = service_tell_model_page},
                            embed = {.tell = service_tell_embed}, asset = {.tell = service_tell_asset},
                            health = {.tell = service_tell_health}, ready = {.tell = service_tell_ready},
                            version = {.tell = service_tell_version}, formats = {.tell = service_tell_formats},
                            stats = {.tell = service_tell_stats}, metrics = {.tell = service_tell_metrics},
                            stream = {.tell = service_tell_no_stream}, none = {0};
static const struct handler list = {.begin = service_list, .cancel = service_list_cancel},
                            batch = {.begin = service_batch, .cancel = service_batch_cancel},
                            file = {.begin = service_file, .cancel = service_file_cancel};
static const struct handler
    model = {.begin = service_find_models, .cancel = service_find_cancel, .answer = service_answer_or_estimate},
    picture = {.begin = service_find_models, .cancel = service_find_cancel, .answer = service_render},
    environment = {.begin = service_find_models, .cancel = service_environment_cancel, .answer = service_environment};

const struct handler *const HANDLERS[] = {
#define OPERATION(symbol, name, path, noun, methods, traits, form, complete, body, frames, cost, bytes, least,         \
                  handler)                                                                                             \
    &handler,
#include "wire/operations/operations.def"
};
