"""Run by LocalStack in the container while it starts: the differences from AWS that this project cannot do without."""

from sluice_localstack import mends

mends.apply()
