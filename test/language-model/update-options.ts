import type { UpdateOptions } from '../../src/method/ports.ts'

/** An ordinary update: two optimiser steps with clipping and a KL penalty. */
export const UPDATE_OPTIONS: UpdateOptions = {
  learningRate: 0.01,
  clipRatioLow: 0.2,
  clipRatioHigh: 0.2,
  klCoefficient: 0.01,
  klEstimator: 'k3',
  lossAggregation: 'token-mean',
  temperature: 1,
  updatesPerIteration: 2,
  maxGradNorm: 1,
  weightDecay: 0,
}
