"""One task: the modes, the parameters and the guards of a hybrid automaton from its inputs and outputs."""
