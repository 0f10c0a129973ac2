/* crowd_read_poses.c - parses the given poses of a binary crowd. */
#include "wire/request/crowd_reading.h"

#include "anim/given/given_pose.h"
#include "base/bytes.h"

static int read_nodes(struct crowd_reading *reading, const struct crowd_list *nodes)
{
    struct crowd_request *crowd = reading->crowd;
    for (uint32_t i = 0; i < nodes->count; i++) {
        const size_t at = nodes->at + (size_t)i * CROWD_POSE_NODE_BYTES;
        const unsigned parts = get_u16(reading->bytes + at + CROWD_AT_POSE_NODE_parts);
        if (crowd_check_zeros(reading, at + CROWD_AT_POSE_NODE_reserved, 2) < 0)
            return reading->err->code;
        if (parts == 0 || parts > GIVEN_WHOLE)
            return crowd_bad_value(reading, "node of a given pose", i, "its parts are a sum of 1, 2 and 4");
        crowd->pose_nodes[crowd->pose_node_count++] =
            (struct crowd_pose_node){get_u32(reading->bytes + at + CROWD_AT_POSE_NODE_node), parts};
    }
    return 0;
}

static void read_numbers(struct crowd_reading *reading, const struct crowd_list *numbers)
{
    struct crowd_request *crowd = reading->crowd;
    for (uint32_t i = 0; i < numbers->count; i++)
        crowd->pose_numbers[crowd->pose_number_count++] =
            get_f32(reading->bytes + numbers->at + (size_t)i * CROWD_POSE_NUMBER_BYTES);
}

/* Returns how many numbers the pose's nodes have; UINT64_MAX where these do not rise. */
static uint64_t count_numbers(const struct crowd_pose *pose)
{
    uint64_t count = 0;
    for (uint32_t n = 0; n < pose->node_count; n++) {
        if (n > 0 && pose->nodes[n].node <= pose->nodes[n - 1].node)
            return UINT64_MAX;
        count += given_part_values(pose->nodes[n].parts);
    }
    return count;
}

/* Poses may share nodes and numbers, but all of them together have no more nodes than the request has bytes. */
int crowd_read_poses(struct crowd_reading *reading, const struct crowd_list *poses, const struct crowd_list *nodes,
                     const struct crowd_list *numbers)
{
    struct crowd_request *crowd = reading->crowd;
    uint64_t all_nodes = 0;
    if (read_nodes(reading, nodes) < 0)
        return reading->err->code;
    read_numbers(reading, numbers);
    for (uint32_t i = 0; i < poses->count; i++) {
        const size_t at = poses->at + (size_t)i * CROWD_POSE_BYTES;
        const char *from = reading->bytes + at;
        const uint32_t first_node = get_u32(from + CROWD_AT_POSE_first_node),
                       first_number = get_u32(from + CROWD_AT_POSE_first_number);
        struct crowd_pose *pose = &crowd->poses[crowd->pose_count++];
        pose->node_count = get_u32(from + CROWD_AT_POSE_node_count);
        all_nodes += pose->node_count;
        if (crowd_check_zeros(reading, at + CROWD_AT_POSE_reserved, 4) < 0)
            return reading->err->code;
        if (pose->node_count == 0 || first_node > nodes->count || pose->node_count > nodes->count - first_node ||
            all_nodes > reading->size_bytes)
            return crowd_bad_value(reading, "given pose", i,
                                   "its nodes are none, not in the list, or too many in all poses");
        pose->nodes = crowd->pose_nodes + first_node;
        const uint64_t own_numbers = count_numbers(pose);
        if (own_numbers == UINT64_MAX)
            return crowd_bad_value(reading, "given pose", i, "its nodes do not rise");
        if (first_number > numbers->count || own_numbers > numbers->count - first_number)
            return crowd_bad_value(reading, "given pose", i, "its numbers are not in the list");
        pose->number_count = (uint32_t)own_numbers;
        pose->numbers = crowd->pose_numbers + first_number;
    }
    return 0;
}
