/* shared_renderer.h - one renderer for all tests, because its start takes half a second, and only the newest context is
 * current. */
#pragma once

#include "render/renderer.h"
#include "tests/unit/support/fixture.h"

/* Skips the test if there is no GL. */
struct renderer *shared_renderer(void);

/* Returns a new key: the renderer keeps models by their keys. */
uint64_t shared_renderer_key(void);

/* Draws the rest pose of the finished fixture. joint: of the view, 0 or 1 + the node. Initialises *png and appends the
 * PNG to it. Returns the result of renderer_draw(). */
int shared_renderer_draw(const struct fixture *f, const struct picture_spec *picture, uint32_t joint, struct buf *png);
