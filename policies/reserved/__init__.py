"""What would a simple scheduler do with preemptible rings on reserved bandwidth?"""
