//! How many instructions a delay takes, the generator not counted. To be run with `-icount`, where time passes by instructions.
#![cfg_attr(target_os = "none", no_std, no_main)]

firmware::program!(firmware::icount::run);
