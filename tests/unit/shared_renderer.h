/* shared_renderer.h - one renderer for all tests: its start takes half a second, and only the context that was made
 * last is current. */
#pragma once

#include "../../server/render/renderer.h"

/* Skips the test where there is no GL. Model keys up to UINT32_MAX are test_renderer.c's, those of other tests have
 * a number of their own above. */
struct renderer *shared_renderer(void);
