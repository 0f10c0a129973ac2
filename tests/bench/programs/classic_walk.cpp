/* classic_walk - palettes as programs on assimp have computed them since the well-known tutorials: one recursive walk
 * over the aiScene's nodes, each looked up by name among channels and bones, keys found by a linear search, float slerp
 * by aiQuaternion::Interpolate, 4x4 products. A node's channel is found by comparing names one after the other, as the
 * tutorials do it; with `map` in a std::map, as programs do that were made faster once.
 *
 *   classic_walk FILE CLIP [map]
 *
 * Answers a line of JSON for each line on stdin: "measure random|sequential SECONDS" or "palette SECONDS". Times are of
 * the processor, not of the clock on the wall. */
#include <assimp/Importer.hpp>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <vector>

namespace
{

struct Bone {
    std::string name;
    aiMatrix4x4 scene_from_bind, joint_from_bind;
};

class Walk
{
  public:
    Walk(const aiScene *scene, unsigned clip, bool has_map)
        : scene_(scene), clip_(scene->mAnimations[clip]), has_map_(has_map)
    {
        root_inverse_ = scene->mRootNode->mTransformation;
        root_inverse_.Inverse();
        for (unsigned i = 0; i < clip_->mNumChannels; i++)
            channels_[clip_->mChannels[i]->mNodeName.C_Str()] = clip_->mChannels[i];
        for (unsigned m = 0; m < scene->mNumMeshes; m++) {
            for (unsigned b = 0; b < scene->mMeshes[m]->mNumBones; b++) {
                const aiBone *bone = scene->mMeshes[m]->mBones[b];
                if (bone_of_.emplace(bone->mName.C_Str(), bones.size()).second)
                    bones.push_back({bone->mName.C_Str(), aiMatrix4x4(), bone->mOffsetMatrix});
            }
        }
    }

    double duration_s() const { return clip_->mDuration / ticks_per_s(); }
    unsigned count_nodes() const { return count(scene_->mRootNode); }

    void evaluate(double time_s)
    {
        const double ticks = time_s * ticks_per_s();
        visit(scene_->mRootNode, static_cast<float>(std::fmod(ticks, clip_->mDuration)), aiMatrix4x4());
    }

    std::vector<Bone> bones;

  private:
    double ticks_per_s() const { return clip_->mTicksPerSecond != 0 ? clip_->mTicksPerSecond : 25.0; }

    static unsigned count(const aiNode *node)
    {
        unsigned total = 1;
        for (unsigned i = 0; i < node->mNumChildren; i++)
            total += count(node->mChildren[i]);
        return total;
    }

    /* Returns the key before the time, and the share of the way to the next one. */
    template <typename Key> static unsigned key_before(const Key *keys, unsigned key_count, float ticks, float *share)
    {
        unsigned i = 0;
        while (i + 2 < key_count && ticks >= static_cast<float>(keys[i + 1].mTime))
            i++;
        const float span = static_cast<float>(keys[i + 1].mTime - keys[i].mTime);
        const float at = span > 0 ? (ticks - static_cast<float>(keys[i].mTime)) / span : 0.0f;
        *share = at < 0 ? 0.0f : at > 1 ? 1.0f : at;
        return i;
    }

    static aiVector3D vector_at(const aiVectorKey *keys, unsigned key_count, float ticks)
    {
        if (key_count == 1)
            return keys[0].mValue;
        float share;
        const unsigned i = key_before(keys, key_count, ticks, &share);
        return keys[i].mValue + share * (keys[i + 1].mValue - keys[i].mValue);
    }

    static aiQuaternion rotation_at(const aiQuatKey *keys, unsigned key_count, float ticks)
    {
        if (key_count == 1)
            return keys[0].mValue;
        float share;
        const unsigned i = key_before(keys, key_count, ticks, &share);
        aiQuaternion result;
        aiQuaternion::Interpolate(result, keys[i].mValue, keys[i + 1].mValue, share);
        return result.Normalize();
    }

    const aiNodeAnim *channel_of(const std::string &name) const
    {
        if (has_map_) {
            const auto found = channels_.find(name);
            return found == channels_.end() ? nullptr : found->second;
        }
        for (unsigned i = 0; i < clip_->mNumChannels; i++) {
            if (std::string(clip_->mChannels[i]->mNodeName.data) == name)
                return clip_->mChannels[i];
        }
        return nullptr;
    }

    void visit(const aiNode *node, float ticks, const aiMatrix4x4 &scene_from_parent)
    {
        const std::string name(node->mName.data);
        aiMatrix4x4 parent_from_node = node->mTransformation;
        const aiNodeAnim *anim = channel_of(name);
        if (anim != nullptr) {
            aiMatrix4x4 scale, move;
            aiMatrix4x4::Scaling(vector_at(anim->mScalingKeys, anim->mNumScalingKeys, ticks), scale);
            const aiMatrix4x4 turn(rotation_at(anim->mRotationKeys, anim->mNumRotationKeys, ticks).GetMatrix());
            aiMatrix4x4::Translation(vector_at(anim->mPositionKeys, anim->mNumPositionKeys, ticks), move);
            parent_from_node = move * turn * scale;
        }
        const aiMatrix4x4 scene_from_node = scene_from_parent * parent_from_node;
        const auto bone = bone_of_.find(name);
        if (bone != bone_of_.end())
            bones[bone->second].scene_from_bind = root_inverse_ * scene_from_node * bones[bone->second].joint_from_bind;
        for (unsigned i = 0; i < node->mNumChildren; i++)
            visit(node->mChildren[i], ticks, scene_from_node);
    }

    const aiScene *scene_;
    const aiAnimation *clip_;
    bool has_map_;
    aiMatrix4x4 root_inverse_;
    std::map<std::string, const aiNodeAnim *> channels_;
    std::map<std::string, size_t> bone_of_;
};

double now_s(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

void measure(Walk &walk, bool is_random, double seconds)
{
    const double step = walk.duration_s() / 4294967296.0;
    unsigned seed = 1;
    unsigned long poses = 0;
    const double begin = now_s(CLOCK_PROCESS_CPUTIME_ID);
    double spent = 0;
    while (spent < seconds) {
        for (unsigned i = 0; i < 16; i++, poses++) {
            seed = seed * 1664525u + 1013904223u;
            walk.evaluate(is_random ? seed * step : std::fmod(static_cast<double>(poses) / 60, walk.duration_s()));
        }
        spent = now_s(CLOCK_PROCESS_CPUTIME_ID) - begin;
    }
    std::printf("{\"ns\":%.2f,\"poses\":%lu,\"nodes\":%u,\"joints\":%zu,\"duration_s\":%.9g}\n",
                spent * 1e9 / static_cast<double>(poses), poses, walk.count_nodes(), walk.bones.size(),
                walk.duration_s());
}

void palette(Walk &walk, double time_s)
{
    walk.evaluate(time_s);
    const char *before = "{";
    for (const Bone &bone : walk.bones) {
        std::printf("%s\"%s\":[", before, bone.name.c_str());
        const float *m = bone.scene_from_bind[0]; /* row-major */
        for (int i = 0; i < 16; i++)
            std::printf("%s%.9g", i > 0 ? "," : "", static_cast<double>(m[i % 4 * 4 + i / 4]));
        std::printf("]");
        before = ",";
    }
    std::puts("}");
}

} // namespace

int main(int argc, char **argv)
{
    const bool has_map = argc == 4 && std::strcmp(argv[3], "map") == 0;
    if (argc != 3 && !has_map) {
        std::fputs("usage: classic_walk FILE CLIP [map]\n", stderr);
        return 2;
    }
    Assimp::Importer importer;
    const aiScene *scene = importer.ReadFile(argv[1], aiProcess_Triangulate);
    const unsigned clip = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
    if (scene == nullptr || clip >= scene->mNumAnimations) {
        std::fprintf(stderr, "classic_walk: %s: %s\n", argv[1],
                     scene == nullptr ? importer.GetErrorString() : "no such clip");
        return 1;
    }
    Walk walk(scene, clip, has_map);
    char line[128], pattern[16];
    double value;
    while (std::fgets(line, sizeof line, stdin) != nullptr) {
        if (std::sscanf(line, "measure %15s %lf", pattern, &value) == 2)
            measure(walk, std::strcmp(pattern, "random") == 0, value);
        else if (std::sscanf(line, "palette %lf", &value) == 1)
            palette(walk, value);
        else
            return 2;
        std::fflush(stdout);
    }
    return 0;
}
