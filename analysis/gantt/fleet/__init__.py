"""GPUs and jobs against time: logs of the family `fleet`, whose GPUs are rented."""
