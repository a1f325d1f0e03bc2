"""Intervals, comparisons and plans: functions of arrays that know no file and no git.

Arrays are numpy's, of floats. G is the number of clusters, the groups of rows that are left out
together. `deleted` is always a number without each cluster in turn: its last axis has length G,
unless a function says otherwise. Values have the unit of their metric.
"""
