#include <posed_eval.h>
#include <stdio.h>

enum { JOINTS_MAX = 64 };

int main(void)
{
    static float palette[16 * JOINTS_MAX], scene_from_hand[16];
    struct pe_error error;
    struct pe_model *robot;
    struct pe_evaluator *evaluator;
    struct pe_entity entity;
    struct pe_skin skin;
    uint32_t hand;

    if (pe_model_open("robot.posed", 0, &robot, &error) < 0 || pe_evaluator_new(&evaluator, &error) < 0 ||
        pe_evaluator_reserve(evaluator, robot, 1, &error) < 0 ||
        /* nothing is allocated from here on */
        pe_entity_clip(&entity, robot, "wave", 0.3, &error) < 0 || pe_evaluate(evaluator, &entity, &error) < 0 ||
        pe_palette(evaluator, 0, PE_MAT4, palette, 16 * JOINTS_MAX, &error) < 0 ||
        pe_find_node(robot, "hand_right", &hand, &error) < 0 ||
        pe_nodes(evaluator, &hand, 1, PE_MAT4, scene_from_hand, 16, &error) < 0) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    pe_skin_at(robot, 0, &skin); /* the palette has 16 floats for each of its joints, column-major */
    printf("%u joints, the right hand at %.3f %.3f %.3f\n", (unsigned)skin.joint_count, (double)scene_from_hand[12],
           (double)scene_from_hand[13], (double)scene_from_hand[14]);
    pe_evaluator_free(evaluator);
    pe_model_close(robot);
    return 0;
}
