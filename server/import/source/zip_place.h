/* zip_place.h - finds which entry of a zip has some bytes, and where the zip stores it. Single-threaded. */
#pragma once

#include "anim/model/model_material.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fills the offset, size and encoding of *out (TEXTURE_AS_IT_IS or TEXTURE_DEFLATED). The zip is hostile: nothing that
 * it declares is believed. False: the bytes are no zip, or no entry of the first 65535 has the wanted bytes. Zip64,
 * encryption and other methods are not looked at. Source: APPNOTE.TXT 6.3.10, 4.3. */
bool zip_place_find(const uint8_t *zip, size_t zip_bytes, const uint8_t *bytes, size_t size_bytes,
                    struct picture_place *out);
