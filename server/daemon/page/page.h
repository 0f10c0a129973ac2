/* page.h - answers for people: the pages' shells (GET /, /m/PATH, /embed/PATH) and what they consist of (/page/NAME).
 * They tell nothing of any model: scripts in them ask the operations. Any thread. */
#pragma once

#include "daemon/config/config.h"
#include "wire/encode/reply.h"
#include "wire/http/access.h"
#include "wire/request/request.h"

/* Fills the reply to an OP_GALLERY, OP_MODEL_PAGE, OP_EMBED or OP_ASSET: 200, or 304 where the client has it, or 404 of
 * an asset that there is not. access: who may show a page in a frame; NULL: nobody. */
void page_answer(const struct config *config, const struct access *access, const struct request *request,
                 struct reply *reply);
