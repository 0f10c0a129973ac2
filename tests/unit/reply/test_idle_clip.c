/* Selects the clip of a model if the request names none. */
#include "wire/reply/idle_clip.h"
#include "tests/unit/support/check.h"

#include <string.h>

/* The choice among clips of these names, one after the other with commas between; "-" is a clip without a name. */
static uint32_t choice(const char *names)
{
    static struct clip clips[8];
    struct model model = {.text = names, .clips = clips};
    for (const char *at = names; at != NULL; at = strchr(at, ',') == NULL ? NULL : strchr(at, ',') + 1) {
        const uint32_t size_bytes = (uint32_t)strcspn(at, ",");
        const bool is_named = !(size_bytes == 1 && *at == '-');
        clips[model.clip_count++] =
            (struct clip){.name = {is_named ? (uint32_t)(at - names) : STR_NONE, is_named ? size_bytes : 0}};
    }
    return idle_clip(&model);
}

TEST(idle_clip_by_its_name)
{
    static const struct {
        const char *names;
        uint32_t choice;
    } ROWS[] = {
        {"Run,Walk", 0},
        {"-,-", 0},
        {"Run,-,Idle", 2},
        {"Death,Stand,IDLE_02,idle", 2},
        {"Run,CharacterArmature|Idle_Gun,CharacterArmature|Idle", 2},
        {"attack,mixamo:stand01,walk", 1},
        {"Run,IdleToWalk,walk_to_idle,StandUp,BreathingIdle", 4},
        {"Run,Standing,Crouch_Idle", 1}, /* a name of one word says it plainly */
        {"Run,combatStand,LookIdle", 2},
        {"bystander,idleness,understand", 0},
        {"Idle|Run,Walk", 0}, /* the armature's name */
        {"", 0},
        {"|,:,Idle", 2},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        assert_int_equal(choice(ROWS[i].names), ROWS[i].choice);
}
