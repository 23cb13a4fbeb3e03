"""GPUs rented for jobs as they come: how soon can these end on average?"""
