/* The examples of protocol/answers.md and protocol/frames.md equal the server's output. Run from the project's root. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/document.h"
#include "tests/unit/support/wire_model.h"

#include <stdlib.h>
#include <string.h>

static const double TIMES[] = {0.5};

/* The text between the next "```kind" line and its end, cut out of *document. */
static char *next_example(char **document, const char *fence)
{
    char *start = strstr(*document, fence);
    if (start == NULL)
        fail_msg("no further example after '%.40s'", *document);
    start += strlen(fence);
    char *end = strstr(start, "\n```");
    assert_non_null(end);
    *end = '\0';
    *document = end + 4;
    return start;
}

static void check_example(char **document, const struct request *request)
{
    cJSON *documented = cJSON_Parse(next_example(document, "```json\n"));
    cJSON *answer = wire_answer_json(wire_model(), request);
    assert_non_null(documented);
    if (!cJSON_Compare(documented, answer, true))
        fail_msg("answers.md should say %s", cJSON_PrintUnformatted(answer));
    cJSON_Delete(documented);
    cJSON_Delete(answer);
}

static struct request palette_request(const struct selector *skin)
{
    struct request request = wire_request(OP_PALETTE, TIMES, 1);
    request.skins = skin;
    request.skin_count = 1;
    request.layout = LAYOUT_MAT3X4;
    return request;
}

TEST(answer_documents_json_examples)
{
    char *text = document_read("protocol/answers.md"), *rest = text;
    const struct selector skin = wire_index(0), joints[] = {wire_index(2), wire_index(4)};
    struct request request = palette_request(&skin);
    check_example(&rest, &request);
    request = wire_request(OP_POSE, TIMES, 1);
    request.what = WHAT_LOCAL | WHAT_SCENE;
    request.pose.joints = joints;
    request.pose.joint_count = 2;
    check_example(&rest, &request);
    request = wire_request(OP_MESH, TIMES, 1);
    request.mesh = wire_index(0);
    request.vertices.has_rest = request.vertices.has_indices = true;
    check_example(&rest, &request);
    request = wire_request(OP_BOUNDS, TIMES, 1);
    request.mesh = wire_index(0);
    request.bounds.is_per_joint = true;
    check_example(&rest, &request);
    request = wire_request(OP_MODEL, NULL, 0);
    check_example(&rest, &request);
    free(text);
}

/* Lines of "offset  bytes  comment" */
static size_t read_hex(char *example, unsigned char *out)
{
    size_t size = 0;
    for (char *line = strtok(example, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        assert_int_equal(strtoul(line, &line, 16), size);
        assert_int_equal(strspn(line, " "), 2);
        line += 2;
        while (strspn(line, "0123456789abcdef") == 2) {
            out[size++] = (unsigned char)strtoul(line, &line, 16);
            line += *line == ' ';
        }
    }
    return size;
}

TEST(answer_documents_binary_example)
{
    char *text = document_read("protocol/frames.md"), *rest = text;
    unsigned char documented[1000];
    const struct selector skin = wire_index(0);
    struct request request = palette_request(&skin);
    struct reply reply;
    request.format = FORMAT_BIN;
    reply_init(&reply);
    wire_answer(wire_model(), &request, &reply);
    assert_int_equal(read_hex(next_example(&rest, "```frames\n"), documented), reply.body.size_bytes);
    assert_memory_equal(documented, reply.body.data, reply.body.size_bytes);
    reply_fini(&reply);
    free(text);
}

TEST(compare_document_has_every_difference)
{
    static const char *const rows[] = {
#define X(symbol, name, text) "\n| `" name "` | " text " |\n",
#include "protocol/differences.def"
#undef X
    };
    char *text = document_read("protocol/compare.md");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(text, rows[i]) == NULL)
            fail_msg("compare.md should have the line: %s", rows[i]);
    free(text);
}
