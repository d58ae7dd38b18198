"""Aryal & Ting 2013: MassBayes."""
