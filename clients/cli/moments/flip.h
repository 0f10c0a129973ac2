/* flip.h - measures how different two pictures look to an observer who alternates between them. It implements LDR-FLIP,
 * after P. Andersson, J. Nilsson, T. Akenine-Moeller, M. Oskarsson, K. Astroem and M. D. Fairchild: "FLIP: A Difference
 * Evaluator for Alternating Images", Proceedings of the ACM on Computer Graphics and Interactive Techniques 3(2), 2020.
 * Section numbers in this code refer to the paper. Pure functions for any thread. */
#pragma once

#include <stdint.h>

enum { FLIP_SIDE_MAX = 2048 };

/* The paper's default: a monitor of 0.7 m width and 3840 pixels, seen from 0.7 m. */
extern const double FLIP_PIXELS_PER_DEGREE;

/* Compares two pictures. before, after: [height][width][3], sRGB. out: [height][width], from 0 (no visible difference)
 * to 1. The sides are from 1 to FLIP_SIDE_MAX. pixels_per_degree: of the observer, from 1 to 200. */
void flip_compare(const uint8_t *before, const uint8_t *after, uint32_t width, uint32_t height,
                  double pixels_per_degree, double *out);

/* Returns the colour of a difference in a heat map: magma, from black (0) over purple and orange to pale yellow (1). */
void flip_heat(double difference, uint8_t rgb[3]);
