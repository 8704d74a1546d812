"""t04: a controller learned from transitions of an unknown nonlinear plant whose optimum is known in closed form."""
