/* fbx_properties_text.c - the same from text files, line by line: objects are blocks of the section Objects. */
#include "import/fbx/fbx_properties.h"
#include "import/fbx/fbx_record.h"

#include <string.h>

struct fbx_text_reader {
    struct fbx_properties *properties;
    struct buf texts; /* of one line, without their escapes */
    uint32_t depth;   /* of the blocks that are open */
    enum { IN_NOTHING, IN_GLOBAL, IN_OBJECT } in;
};

static void skip(struct fbx_line *line)
{
    while (line->at < line->end && (*line->at == ' ' || *line->at == '\t' || *line->at == ','))
        line->at++;
}

/* What the format writes for characters that end a text. */
static bool take_escape(struct fbx_line *line, char *c)
{
    *c = fbx_take(line, "&quot;") ? '"' : fbx_take(line, "&cr;") ? '\r' : fbx_take(line, "&lf;") ? '\n' : '\0';
    return *c != '\0';
}

/* The text in quotes at the line's head, decoded into reading->texts; false where none begins there. The buffer may
 * move, so its place is given. */
static bool take_text(struct fbx_text_reader *reading, struct fbx_line *line, struct fbx_span *span)
{
    skip(line);
    if (!fbx_take(line, "\""))
        return false;
    span->at = reading->texts.size_bytes;
    while (line->at < line->end && *line->at != '"') {
        char c;
        buf_put_char(&reading->texts, take_escape(line, &c) ? c : *line->at++);
    }
    line->at += line->at < line->end;
    span->size_bytes = reading->texts.size_bytes - span->at;
    return true;
}

/* Up to the next comma; false at the line's end. */
static bool take_word(struct fbx_line *line, struct fbx_text *word)
{
    skip(line);
    word->at = line->at;
    while (line->at < line->end && *line->at != ',' && *line->at != '\r')
        line->at++;
    word->size_bytes = (size_t)(line->at - word->at);
    while (word->size_bytes > 0 && word->at[word->size_bytes - 1] == ' ')
        word->size_bytes--;
    return word->size_bytes > 0;
}

static struct fbx_text text_of(const struct fbx_text_reader *reading, struct fbx_span span)
{
    return (struct fbx_text){reading->texts.data == NULL ? "" : reading->texts.data + span.at, span.size_bytes};
}

/* "name", "type", "label", "flags",value,value: what stands behind P: */
static bool get_property(struct fbx_text_reader *reading, struct fbx_line *line, struct fbx_property *property)
{
    struct fbx_span texts[FBX_PROPERTY_TEXTS], values[FBX_PROPERTY_VALUES];
    *property = (struct fbx_property){0};
    buf_clear(&reading->texts);
    for (int i = 0; i < FBX_PROPERTY_TEXTS; i++)
        if (!take_text(reading, line, &texts[i]))
            return false;
    while (property->param_count < FBX_PROPERTY_VALUES) {
        struct fbx_value *value = &property->values[property->param_count];
        if (take_text(reading, line, &values[property->param_count]))
            value->kind = FBX_VALUE_TEXT;
        else if (take_word(line, &value->text))
            value->kind = FBX_VALUE_NUMBER;
        else
            break;
        property->param_count++;
    }
    for (int i = 0; i < FBX_PROPERTY_TEXTS; i++)
        property->texts[i] = text_of(reading, texts[i]);
    for (uint32_t i = 0; i < property->param_count; i++)
        if (property->values[i].kind == FBX_VALUE_TEXT)
            property->values[i].text = text_of(reading, values[i]);
    return true;
}

/* 123, "Model::Name", "Mesh" {: what stands behind Model: */
static void begin_object(struct fbx_text_reader *reading, enum fbx_kind kind, struct fbx_line line)
{
    struct fbx_text id, name;
    struct fbx_span span;
    buf_clear(&reading->texts);
    if (!take_word(&line, &id) || !take_text(reading, &line, &span))
        return;
    name = text_of(reading, span);
    const char *mark = memmem(name.at, name.size_bytes, "::", 2);
    if (mark != NULL) {
        name.size_bytes -= (size_t)(mark + 2 - name.at);
        name.at = mark + 2;
    }
    fbx_object_begin(reading->properties, kind, name);
    reading->in = IN_OBJECT;
}

static void end_object(struct fbx_text_reader *reading)
{
    if (reading->in == IN_OBJECT)
        fbx_object_end(reading->properties);
    reading->in = IN_NOTHING;
}

/* Sections stand at depth 0, objects at depth 1. */
static void look_at_block(struct fbx_text_reader *reading, struct fbx_line line)
{
    if (reading->depth == 0 || (reading->depth == 1 && reading->in == IN_OBJECT))
        end_object(reading);
    if (reading->depth == 0 && fbx_take(&line, "GlobalSettings:"))
        reading->in = IN_GLOBAL;
    else if (reading->depth == 1 && fbx_take(&line, "Model:"))
        begin_object(reading, FBX_MODEL, line);
    else if (reading->depth == 1 && fbx_take(&line, "Material:"))
        begin_object(reading, FBX_MATERIAL, line);
    else if (reading->depth == 1 && fbx_take(&line, "AnimationStack:"))
        begin_object(reading, FBX_TAKE, line);
    reading->depth++;
}

static void look_at_line(struct fbx_text_reader *reading, struct fbx_line line)
{
    struct fbx_property property;
    struct fbx_line whole = line;
    while (line.end > line.at && (line.end[-1] == ' ' || line.end[-1] == '\r' || line.end[-1] == '\t'))
        line.end--;
    if (fbx_take(&whole, "P:")) {
        if (reading->in != IN_NOTHING && get_property(reading, &whole, &property))
            (reading->in == IN_OBJECT ? fbx_object_property : fbx_global_property)(reading->properties, &property);
    } else if (line.end > line.at && *line.at != ';' && line.end[-1] == '{') {
        look_at_block(reading, line);
    } else if (fbx_take(&line, "}") && reading->depth > 0) {
        reading->depth--;
        if (reading->depth <= 1 && reading->in == IN_OBJECT)
            end_object(reading);
        else if (reading->depth == 0)
            reading->in = IN_NOTHING;
    }
}

void fbx_properties_read_text(struct fbx_properties *properties, const char *text, size_t size_bytes)
{
    struct fbx_text_reader reading = {.properties = properties};
    struct fbx_line line;
    buf_init(&reading.texts, 0);
    for (const char *at = text; fbx_next_line(&at, text + size_bytes, &line);)
        look_at_line(&reading, line);
    end_object(&reading);
    buf_fini(&reading.texts);
}
