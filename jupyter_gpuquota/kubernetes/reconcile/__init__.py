"""Bringing sessions and their objects together: what is seen, what is written, one at a time."""
