#include "import/collada_model/collada_image.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The first number of pictures in the document; the archive's files have lower numbers. */
static const uint32_t TEXT_IMAGE_FIRST = UINT32_C(0x40000000);

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Reads pairs of hexadecimal digits between any white space and stops at any other character. */
static void read_hex(const char *text, struct collada_picture *picture)
{
    int high = -1;
    picture->bytes = mem_alloc(strlen(text) / 2 + 1);
    for (; *text != '\0'; text++) {
        const int digit = digit_of(*text);
        if (digit < 0 && strchr(" \t\r\n", *text) != NULL)
            continue;
        if (digit < 0)
            return;
        if (high >= 0)
            picture->bytes[picture->size_bytes++] = (uint8_t)(16 * high + digit);
        high = high >= 0 ? -1 : digit;
    }
}

static bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

char *collada_uri(const char *text)
{
    text += strspn(text, " \t\r\n");
    size_t size = strlen(text);
    while (size > 0 && strchr(" \t\r\n", text[size - 1]) != NULL)
        size--;
    const char *end = text + size;
    if (starts_with(text, "file://"))
        text += 7;
    if (text < end && text[0] == '/' && text + 2 < end && text[2] == ':')
        text++; /* "/C:/art" */
    char *uri = mem_alloc((size_t)(end - text) + 1);
    size_t used = 0;
    while (text < end) {
        const bool is_escape = *text == '%' && end - text > 2 && digit_of(text[1]) >= 0 && digit_of(text[2]) >= 0;
        const int code = is_escape ? 16 * digit_of(text[1]) + digit_of(text[2]) : 0;
        uri[used++] = code > 0 ? (char)code : *text;
        text += code > 0 ? 3 : 1;
    }
    uri[used] = '\0';
    return uri;
}

/* In 1.4 <init_from> is the path and <data> holds hexadecimal digits. In 1.5 <init_from> holds <ref> or <hex>. */
void collada_picture_read(const struct xml *xml, uint32_t image, const char *path, struct collada_picture *picture)
{
    *picture = (struct collada_picture){0};
    if (image != XML_NONE) {
        const uint32_t init = xml_child(xml, image, "init_from"), ref = xml_child(xml, init, "ref");
        const uint32_t hex = xml_child(xml, init, "hex"), data = xml_child(xml, image, "data");
        path = ref != XML_NONE ? xml_text(xml, ref) : init != XML_NONE && hex == XML_NONE ? xml_text(xml, init) : "";
        if (hex != XML_NONE || data != XML_NONE)
            read_hex(xml_text(xml, hex != XML_NONE ? hex : data), picture);
    }
    picture->uri = collada_uri(path);
}

void collada_picture_fini(struct collada_picture *picture)
{
    free(picture->uri);
    free(picture->bytes);
    *picture = (struct collada_picture){0};
}

void collada_picture_request(const struct collada_picture *picture, uint32_t image,
                             const struct collada_archive *archive, struct texture_request *request)
{
    request->uri = picture->uri;
    request->image = TEXTURE_IS_FILE;
    if (picture->bytes != NULL) {
        request->bytes = picture->bytes;
        request->size_bytes = picture->size_bytes;
        request->image = TEXT_IMAGE_FIRST + image;
    } else if (archive != NULL && picture->uri[0] != '\0') {
        request->image = collada_archive_find(archive, picture->uri, &request->bytes, &request->size_bytes);
    }
}
