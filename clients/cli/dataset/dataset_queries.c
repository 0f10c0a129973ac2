/* The requests of a sample: its picture, its arrays and its keypoints. */
#include "clients/cli/dataset/dataset.h"

#include <stdlib.h>
#include <string.h>

static const char PASSES_DEFAULT[] = "depth,normal,node,mesh,joint";

/* Returns whether one of the words between commas is `word`. */
static bool has_word(const char *list, const char *word)
{
    for (const size_t size = strlen(word); *list != '\0'; list += list[strcspn(list, ",")] == ',') {
        if (strcspn(list, ",") == size && memcmp(list, word, size) == 0)
            return true;
        list += strcspn(list, ",");
    }
    return false;
}

/* Returns the rest of the request for keypoints: those of the given parameters that it has. NULL: none are asked for.
 */
static char *query_of_keypoints(const struct args *args, double size)
{
    static const struct command ASKED = {
        .name = "keypoints", .arguments = "MODEL", .operation = "FOR_KEYPOINTS FOR_GIVEN"};
    const char *which = args_text(args, OPTION_KEYPOINTS, NULL);
    const bool is_body = which != NULL && (strcmp(which, "roles") == 0 || strcmp(which, "openpose") == 0);
    struct args kept = *args;
    struct text query = {0};
    if (which == NULL)
        return NULL;
    text_put(&query, is_body ? "&body=" : "&joints=");
    text_put_url(&query, which);
    kept.parameters = must_alloc((args->parameter_count + 1) * sizeof *kept.parameters);
    kept.parameter_count = 0;
    for (size_t i = 0; i < args->parameter_count; i++) {
        bool is_taken = false;
        for (size_t k = 0; k < PARAMETER_COUNT && !is_taken; k++)
            is_taken =
                strcmp(PARAMETERS[k].name, args->parameters[i].name) == 0 && parameter_is_for(&PARAMETERS[k], &ASKED);
        if (is_taken)
            kept.parameters[kept.parameter_count++] = args->parameters[i];
    }
    args_put_query(&kept, &query);
    free(kept.parameters);
    if (args_parameter(args, "width") == NULL)
        text_printf(&query, "&width=%.0f", size);
    if (args_parameter(args, "height") == NULL)
        text_printf(&query, "&height=%.0f", size);
    return query.at;
}

/* Sets the rest of both requests of a sample. */
void dataset_set_queries(struct dataset *set, const struct args *args)
{
    static const char *const OF_ARRAYS[] = {"normal_space", "t2"};
    const char *passes = args_text(args, OPTION_DATASET_PASSES, PASSES_DEFAULT);
    const double size = args_number(args, OPTION_SIZE, 256);
    struct args kept = *args;
    struct text picture = {0}, arrays = {0};
    kept.parameters = must_alloc((args->parameter_count + 1) * sizeof *kept.parameters);
    for (size_t i = 0; i < args->parameter_count; i++) /* which may be none, without an array */
        kept.parameters[i] = args->parameters[i];
    args_drop_parameter(&kept, "allow_empty");
    for (size_t i = 0; i < sizeof OF_ARRAYS / sizeof *OF_ARRAYS; i++)
        args_drop_parameter(&kept, OF_ARRAYS[i]);
    text_put(&picture, "");
    args_put_query(&kept, &picture);
    if (args_parameter(args, "width") == NULL)
        text_printf(&picture, "&width=%.0f", size);
    if (args_parameter(args, "height") == NULL)
        text_printf(&picture, "&height=%.0f", size);
    set->picture_query = picture.at;
    free(kept.parameters);
    const char *empty = args_parameter(args, "allow_empty");
    set->shows_empty = empty != NULL && strcmp(empty, "1") == 0;
    set->has_motion = has_word(passes, "motion") && args_parameter(args, "t2") == NULL;
    set->keypoint_query = query_of_keypoints(args, size);
    if (strcmp(passes, "none") == 0)
        return;
    text_printf(&arrays, "%s&format=npz&passes=", set->picture_query);
    text_put_url(&arrays, passes);
    for (size_t i = 0; i < sizeof OF_ARRAYS / sizeof *OF_ARRAYS; i++)
        if (args_parameter(args, OF_ARRAYS[i]) != NULL) {
            text_printf(&arrays, "&%s=", OF_ARRAYS[i]);
            text_put_url(&arrays, args_parameter(args, OF_ARRAYS[i]));
        }
    set->array_query = arrays.at;
}

int dataset_file_count(const struct dataset *set)
{
    return 1 + (set->array_query != NULL) + (set->keypoint_query != NULL);
}
