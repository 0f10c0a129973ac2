/* retarget_report.c - collects nodes without a partner and writes them as a header value. */
#include "anim/retarget/retarget_report.h"

#include "base/ascii.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char RULES[] = ";rules=", SLIDE[] = ";slide=", RESTS[] = ";rests=", LIMBS[] = ";limbs=",
                  FACES[] = ";faces=", SIDES[] = ";sides=";
enum { NAMES_SIZE = 448 }; /* of each list; all three, with words and numbers, fit RETARGET_TEXT_SIZE */

void retarget_report_init(struct retarget_report *report, const struct retarget *retarget)
{
    const size_t nodes = retarget->source->node_count;
    *report = (struct retarget_report){
        .retarget = retarget,
        .slide = retarget->slide,
        .limbs = retarget->limbs,
        .misses = mem_alloc(nodes * sizeof *report->misses + 1),
        .is_moved = mem_zalloc((size_t)retarget->model.node_count + 1, 1),
        .is_missed = mem_zalloc(nodes + 1, 1),
    };
}

void retarget_report_fini(struct retarget_report *report)
{
    free(report->misses);
    free(report->is_moved);
    free(report->is_missed);
    *report = (struct retarget_report){0};
}

/* The direction of a VRM animation's eyes has no partner: it moves both eyes. */
static void mark_eyes(struct retarget_report *report, uint32_t source)
{
    const struct rest_face *face = retarget_face(report->retarget);
    for (int eye = 0; face != NULL && face->gaze == (int32_t)source && eye < 2; eye++)
        if (face->eyes[eye] >= 0)
            report->is_moved[face->eyes[eye]] = 1;
}

void retarget_report_add(struct retarget_report *report, int32_t clip)
{
    const struct model *source = report->retarget->source;
    if (clip < 0)
        return;
    const struct clip *from = &source->clips[clip];
    for (uint32_t c = 0; c < from->channel_count; c++) {
        const struct channel *channel = &source->channels[from->channel_first + c];
        const int32_t partner = retarget_partner(report->retarget, channel);
        mark_eyes(report, channel->node);
        if (retarget_leaves_out(report->retarget, channel))
            continue;
        if (partner >= 0) {
            report->is_moved[partner] = 1;
        } else if (report->is_missed[channel->node] == 0) {
            report->is_missed[channel->node] = 1;
            report->misses[report->miss_count++] =
                (struct retarget_miss){channel->node, (enum retarget_reason)(-1 - partner)};
        }
    }
}

bool retarget_report_is_still(const struct retarget_report *report, uint32_t node)
{
    return (report->retarget->model.nodes[node].flags & NODE_JOINT) != 0 && report->is_moved[node] == 0;
}

/* --- as a header --- */

/* A list of names that ends before the first one that does not fit. */
struct names {
    struct buf text;
    uint32_t count; /* all names, also those that do not fit */
};

static bool is_unreserved(char c) { return ascii_is_alnum(c) || (c != '\0' && strchr("-._~", c) != NULL); }

static void put_encoded(struct buf *out, const char *text, size_t size_bytes)
{
    static const char HEX[] = "0123456789ABCDEF";
    for (size_t i = 0; i < size_bytes; i++) {
        const unsigned char c = (unsigned char)text[i];
        const char code[3] = {'%', HEX[c >> 4], HEX[c & 15]};
        if (is_unreserved(text[i]))
            buf_put_char(out, text[i]);
        else
            buf_put(out, code, sizeof code);
    }
}

/* Adds a name; with size_bytes 0 `plain` stands for it. */
static void add(struct names *names, const char *text, size_t size_bytes, const char *plain)
{
    const size_t before = names->text.size_bytes;
    names->count++;
    if (before > 0)
        buf_put_char(&names->text, ',');
    if (size_bytes > 0)
        put_encoded(&names->text, text, size_bytes);
    else
        buf_put_text(&names->text, plain);
    if (buf_failed(&names->text)) /* this name and all later ones are left out */
        names->text.size_bytes = before;
}

static void add_name(struct names *names, const struct model *model, uint32_t node)
{
    const struct str name = model->nodes[node].name;
    const bool is_named = name.offset != STR_NONE && name.size_bytes > 0;
    char number[16];
    snprintf(number, sizeof number, "#%u", node);
    add(names, is_named ? model->text + name.offset : "", is_named ? name.size_bytes : 0, number);
}

/* Returns [node_count]: nodes that any clip of the answer moves. The caller frees it. */
static uint8_t *find_moved(const struct retarget_report *reports, uint32_t report_count, const struct model *model,
                           const int32_t *own_clips, uint32_t own_count)
{
    uint8_t *is_moved = mem_zalloc((size_t)model->node_count + 1, 1);
    for (uint32_t r = 0; r < report_count; r++)
        for (uint32_t n = 0; n < model->node_count; n++)
            is_moved[n] |= reports[r].is_moved[n];
    for (uint32_t i = 0; i < own_count; i++) {
        const struct clip *clip = own_clips[i] < 0 ? NULL : &model->clips[own_clips[i]];
        for (uint32_t c = 0; clip != NULL && c < clip->channel_count; c++)
            is_moved[model->channels[clip->channel_first + c].node] = 1;
    }
    return is_moved;
}

static void put_names(struct buf *out, const char *parameter, struct names *names)
{
    if (names->text.size_bytes > 0)
        buf_printf(out, ";%s=\"%.*s\"", parameter, (int)names->text.size_bytes, names->text.data);
    buf_fini(&names->text);
}

/* True when the rule renames nothing in any of the files, which all have the same rules. */
static bool is_idle(const struct retarget_report *reports, uint32_t report_count, uint32_t rule)
{
    uint32_t uses = 0;
    for (uint32_t r = 0; r < report_count; r++)
        uses += reports[r].retarget->is_rule_used[rule];
    return uses == 0;
}

static void put_rules(struct buf *out, const struct retarget_report *reports, uint32_t report_count)
{
    struct names idle = {.text.limit_bytes = NAMES_SIZE};
    const struct name_map *names = &reports[0].retarget->names;
    for (uint32_t i = 0; i < names->count; i++)
        if (is_idle(reports, report_count, i))
            add(&idle, names->rules[i].text, names->rules[i].text_bytes, "");
    if (idle.count > 0)
        buf_printf(out, "%s%u", RULES, idle.count);
    put_names(out, "rule_texts", &idle);
}

uint32_t retarget_slide_thousandths(double slide) { return (uint32_t)lround(fmin(slide, 999) * 1000); }

static void put_slide(struct buf *out, const struct retarget_report *reports, uint32_t report_count)
{
    uint32_t by_rest = 0, most = 0;
    for (uint32_t r = 0; r < report_count; r++) {
        const uint32_t slide = retarget_slide_thousandths(reports[r].slide);
        by_rest += retarget_is_by_rest(reports[r].retarget);
        most = slide > most ? slide : most;
    }
    if (by_rest > 0)
        buf_printf(out, "%s%u.%03u", SLIDE, most / 1000, most % 1000);
}

bool retarget_report_limbs_differ(const struct retarget_report *report)
{
    return retarget_is_by_rest(report->retarget) &&
           limb_angles_count(&report->limbs, retarget_has_locked_feet(report->retarget)) > 0;
}

/* Before the slide, whose digits end the text. */
static void put_warned(struct buf *out, const struct retarget_report *reports, uint32_t report_count)
{
    uint32_t count = 0, limbs = 0, faces = 0, sides = 0;
    double turned_deg;
    for (uint32_t r = 0; r < report_count; r++) {
        const struct rest_reference *reference = retarget_reference(reports[r].retarget, &turned_deg);
        count += reference != NULL && reference->is_warned;
        limbs += retarget_report_limbs_differ(&reports[r]);
        sides += retarget_swap(reports[r].retarget) != REST_SWAP_NONE;
        faces += rest_face_count_warnings(retarget_face(reports[r].retarget));
    }
    if (count > 0)
        buf_printf(out, "%s%u", RESTS, count);
    if (limbs > 0)
        buf_printf(out, "%s%u", LIMBS, limbs);
    if (faces > 0)
        buf_printf(out, "%s%u", FACES, faces);
    if (sides > 0)
        buf_printf(out, "%s%u", SIDES, sides);
}

void retarget_report_put(const struct retarget_report *reports, uint32_t report_count, const struct model *model,
                         const int32_t *own_clips, uint32_t own_count, struct buf *out)
{
    struct names missed = {.text.limit_bytes = NAMES_SIZE}, still = {.text.limit_bytes = NAMES_SIZE};
    uint8_t *is_moved = find_moved(reports, report_count, model, own_clips, own_count);
    for (uint32_t r = 0; r < report_count; r++)
        for (uint32_t i = 0; i < reports[r].miss_count; i++)
            add_name(&missed, reports[r].retarget->source, reports[r].misses[i].node);
    for (uint32_t n = 0; n < model->node_count; n++)
        if ((model->nodes[n].flags & NODE_JOINT) != 0 && is_moved[n] == 0)
            add_name(&still, model, n);
    free(is_moved);
    buf_printf(out, "%u", missed.count);
    put_names(out, "names", &missed);
    buf_printf(out, ";joints=%u", still.count);
    put_names(out, "joint_names", &still);
    put_rules(out, reports, report_count);
    put_warned(out, reports, report_count);
    put_slide(out, reports, report_count);
}

bool retarget_text_has_idle_rules(const struct buf *text)
{
    return text->size_bytes > 0 && memmem(text->data, text->size_bytes, RULES, sizeof RULES - 1) != NULL;
}

/* Returns the number behind a word in such a text; 0 without the word. */
static uint32_t find_number(const struct buf *text, const char *word)
{
    const size_t size = strlen(word);
    const char *at = text->size_bytes == 0 ? NULL : memmem(text->data, text->size_bytes, word, size);
    uint32_t count = 0;
    for (const char *c = at == NULL ? NULL : at + size; c != NULL && ascii_is_digit(*c); c++)
        count = count * 10 + (uint32_t)(*c - '0');
    return count;
}

uint32_t retarget_text_warnings(const struct buf *text)
{
    return find_number(text, RESTS) + find_number(text, LIMBS) + find_number(text, FACES) + find_number(text, SIDES);
}

/* The names and rules before it are percent-encoded, so they contain no ';'. */
int32_t retarget_text_slide(const struct buf *text)
{
    const size_t size = sizeof SLIDE - 1;
    const char *at = text->size_bytes == 0 ? NULL : memmem(text->data, text->size_bytes, SLIDE, size);
    int32_t slide = 0;
    if (at == NULL)
        return -1;
    for (const char *c = at + size, *end = text->data + text->size_bytes; c < end; c++)
        slide = ascii_is_digit(*c) ? slide * 10 + (*c - '0') : slide;
    return slide;
}
