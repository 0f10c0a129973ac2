/* shared_renderer.h - one renderer for all tests: its start takes half a second, and only the context that was made
 * last is current. */
#pragma once

#include "render/renderer.h"
#include "tests/unit/support/fixture.h"

/* Skips the test where there is no GL. */
struct renderer *shared_renderer(void);

/* A key that no model had before: the renderer keeps models by their keys. */
uint64_t shared_renderer_key(void);

/* Draws the finished fixture's rest pose. joint: of the view, 0 or 1 + the node. Appends the PNG to *png, which it
 * initialises, and returns what renderer_draw() does. */
int shared_renderer_draw(const struct fixture *f, const struct picture_spec *picture, uint32_t joint, struct buf *png);
