/* page.h - answers requests for pages: their shells (GET /, /m/PATH, /embed/PATH) and files (/page/NAME). They contain
 * no data of models; their scripts send requests for that. Any thread. */
#pragma once

#include "daemon/config/config.h"
#include "wire/encode/reply.h"
#include "wire/http/access.h"
#include "wire/request/request.h"

enum page { PAGE_GALLERY, PAGE_MODEL, PAGE_EMBED };

/* Fills the reply with the page: 200, or 304 if the client has it. access: says who may show PAGE_EMBED in a frame;
 * NULL: nobody. */
void page_answer(const struct config *config, const struct access *access, const struct request *request,
                 enum page page, struct reply *reply);
/* Fills the reply with what pages consist of, request->model: 200, 304, or 404 where there is no such file. */
void page_answer_asset(const struct request *request, struct reply *reply);
