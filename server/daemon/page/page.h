/* page.h - answers requests for pages: their shells (GET /, /m/PATH, /embed/PATH) and files (/page/NAME). They contain
 * no data of models; their scripts send requests for that. Any thread. */
#pragma once

#include "daemon/config/config.h"
#include "wire/encode/reply.h"
#include "wire/http/access.h"
#include "wire/request/request.h"

/* Fills the reply to an OP_GALLERY, OP_MODEL_PAGE, OP_EMBED or OP_ASSET: 200, or 304 if the client has it, or 404 for
 * an unknown asset. access: says who may show a page in a frame; NULL: nobody. */
void page_answer(const struct config *config, const struct access *access, const struct request *request,
                 struct reply *reply);
