/* flip.h - how different two pictures look to who flips between them: LDR-FLIP, after P. Andersson, J. Nilsson,
 * T. Akenine-Moeller, M. Oskarsson, K. Astroem and M. D. Fairchild: "FLIP: A Difference Evaluator for Alternating
 * Images", Proceedings of the ACM on Computer Graphics and Interactive Techniques 3(2), 2020. Sections named here are
 * those of the paper. Pure; any thread. */
#pragma once

#include <stdint.h>

enum { FLIP_SIDE_MAX = 2048 };

/* A monitor of 0.7 m width and 3840 pixels, seen from 0.7 m: the paper's default. */
extern const double FLIP_PIXELS_PER_DEGREE;

/* before, after: [height][width][3], sRGB. out: [height][width], from 0 (no difference is seen) to 1. Sides from 1 to
 * FLIP_SIDE_MAX; pixels_per_degree of the observer, from 1 to 200. */
void flip_compare(const uint8_t *before, const uint8_t *after, uint32_t width, uint32_t height,
                  double pixels_per_degree, double *out);

/* The colour of a difference in a heat map: magma, from black (0) over purple and orange to pale yellow (1). */
void flip_heat(double difference, uint8_t rgb[3]);
