/* assimp_scene - what assimp itself takes to import a file, in time and in memory.
 *
 *   assimp_scene FILE
 *
 * With the steps that posed asks assimp for. Prints one line of JSON: milliseconds of the import, and bytes by
 * aiGetMemoryRequirements, textures aside. */
#include <assimp/Importer.hpp>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <chrono>
#include <cstdio>

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fputs("usage: assimp_scene FILE\n", stderr);
        return 2;
    }
    const auto begin = std::chrono::steady_clock::now();
    Assimp::Importer importer;
    const aiScene *scene = importer.ReadFile(argv[1], aiProcess_Triangulate | aiProcess_SortByPType |
                                                          aiProcess_JoinIdenticalVertices | aiProcess_GenSmoothNormals);
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
    if (scene == nullptr) {
        std::fprintf(stderr, "assimp_scene: %s: %s\n", argv[1], importer.GetErrorString());
        return 1;
    }
    aiMemoryInfo memory;
    importer.GetMemoryRequirements(memory);
    std::printf("{\"ms\":%.3f,\"bytes\":%u,\"textures\":%u,\"meshes\":%u,\"nodes\":%u,\"animations\":%u}\n",
                spent.count(), memory.total - memory.textures, memory.textures, memory.meshes, memory.nodes,
                memory.animations);
    return 0;
}
