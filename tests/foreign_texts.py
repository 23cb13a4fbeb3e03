"""A small text of every format, written by hand, and what is in it."""

PHILLY = """[
{"status": "Pass", "vc": "blue", "jobid": "a1", "submitted_time": "2017-10-07 01:00:00",
 "user": "u", "attempts": [
  {"start_time": "2017-10-07 01:00:10", "end_time": "2017-10-07 01:01:10",
   "detail": [{"ip": "m2", "gpus": ["gpu0", "gpu1"]}]},
  {"start_time": "2017-10-07 01:02:00", "end_time": "2017-10-07 01:02:30",
   "detail": [{"ip": "m10", "gpus": ["gpu1", "gpu3"]}]}]},
{"status": "Killed", "vc": "red", "jobid": "a2", "submitted_time": "2017-10-07 01:00:05",
 "user": "u", "attempts": [
  {"start_time": "2017-10-07 01:00:10", "end_time": "2017-10-07 01:00:20",
   "detail": [{"ip": "m2", "gpus": ["gpu2"]}, {"ip": "m10", "gpus": ["gpu0"]}]}]},
{"status": "Failed", "vc": "red", "jobid": "a3", "submitted_time": "2017-10-07 01:00:06",
 "user": "u", "attempts": []},
{"status": "Pass", "vc": "red", "jobid": "a4", "submitted_time": "2017-10-07 01:00:07",
 "user": "u", "attempts": [{"start_time": "2017-10-07 01:00:10", "end_time": null,
   "detail": [{"ip": "m2", "gpus": ["gpu0"]}]}]},
{"status": "Pass", "vc": "red", "jobid": "a5", "submitted_time": "2017-10-07 01:00:07",
 "user": "u", "attempts": [
  {"start_time": "None", "end_time": "2017-10-07 01:00:10",
   "detail": [{"ip": "m2", "gpus": ["gpu0"]}]},
  {"start_time": "2017-10-07 01:00:10", "end_time": "2017-10-07 01:00:11",
   "detail": [{"ip": "m2", "gpus": ["gpu0"]}]}]}
]
"""

HELIOS = """\
job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
11,u1,vcA,1,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:01,2020-06-09 18:51:01,600,0
12,u2,vcB,4,16,1,FAILED,2020-06-09 18:41:27,2020-06-09 18:41:27,2020-06-09 18:45:36,249,0
13,u2,vcB,0,16,1,COMPLETED,2020-06-09 18:41:28,2020-06-09 18:41:27,2020-06-09 18:45:36,249,0
14,u3,vcA,2,1,1,CANCELLED,2020-06-09 18:41:29,None,2020-06-09 18:45:36,0,247
"""

PAI = """\
job_id,num_inst,user,submit_time,num_gpu,duration,group
7,2,u1,100,1.0,30.5,g
8,1,u1,160,0.5,10,g
9,,u2,160,,10,g
"""

TIRESIAS = """\
job_id,num_gpu,submit_time,iterations,model_name,duration,interval
0,1,30,606,vgg19,164,30
1,8,60,133,resnet50,147,23
"""

ELASTICFLOW = """\
job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration
0,30,606,vgg19,999,64,1,164
1,60,133,resnet50,999,64,8,147
"""

MURI = """\
job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time,\
resource_time_0,resource_time_1,resource_time_2,priority
0,1,30000,606,vgg19,16,164000,30,212,82,75,66,1
1,8,60000,133,resnet50,16,147000,23,212,82,75,66,1
"""

CHRONUS = """\
job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,\
expect_value_list,best_effort,job_type
0,red,1,10,50,vgg19,2,14,5,10,0,strict
1,blue,8,11,50,resnet50,3,14,5,10,0,strict
"""

GAVEL = """\
LM (batch size 5)\tpython3 main.py --data %s/w\tlm\t--steps\t1\t1000\t1\t1\t-1.000000\t0
LM (batch size 5)\tpython3 main.py --data %s/w\tlm\t--steps\t1\t1000\t2\t1\t-1.000000\t40
LM (batch size 5)\tpython3 main.py --data %s/w\tlm\t--steps\t1\t1000\t4\t1\t-1.000000\t50
"""

GAVEL_PHILLY = """\
LM (batch size 5)\tcd %s && python3 main.py\t--steps\t1\t1000\t0.000000\t1
LM (batch size 5)\tcd %s && python3 main.py\t--steps\t1\t1000\t40.000000\t2
"""

SHOCKWAVE = """\
LM (batch size 5)\tpython3 main.py\tlm\t--steps\t1\t1000\t1\tgns\t1\t-1.000000\t1418\t5
LM (batch size 5)\tpython3 main.py\tlm\t--steps\t1\t1000\t2\tstatic\t1\t-1.000000\t10\t7
"""

THROUGHPUTS = """{
"v100": {"('LM (batch size 5)', 1)": {"null": 20.0, "('LM (batch size 5)', 1)": [9, 9]},
         "('LM (batch size 5)', 2)": {"null": 40}},
"v100_unconsolidated": {"('LM (batch size 5)', 2)": {"null": 32}},
"k80": {"('LM (batch size 5)', 1)": {"null": 2}}
}"""

SACCT = """\
JobID|JobName|Partition|Submit|Elapsed|State|NNodes|AllocTRES
100|train|gpu|2024-03-01T10:00:00|1-02:00:05|COMPLETED|2|billing=16,cpu=16,gres/gpu:a100=8,gres/gpu=8,node=2
100.batch|batch||2024-03-01T10:00:00|1-02:00:05|COMPLETED|1|cpu=8,gres/gpu=4
100.0|"odd||2024-03-01T10:00:00|00:10:00|COMPLETED|1|cpu=8,gres/gpu=4
101|train|gpu|2024-03-01T10:00:30|00:01:30|CANCELLED by 1000|1|cpu=8,gres/gpu:a100=2,gres/gpu:v100=1
102|train|gpu|2024-03-01T10:01:00|00:00:00|CANCELLED by 1000|1|
103_4|train|gpu|2024-03-01T10:01:10|05:30|TIMEOUT|1|cpu=8,gres/gpu=1
104|train|gpu|2024-03-01T10:01:20|05:00:00|RUNNING|1|cpu=8,gres/gpu=1
105|train|cpu|2024-03-01T10:01:20|05:00:00|COMPLETED|1|cpu=8
"""

CSV = """\
job_id,arrival_s,gpus,duration_s,model,speeds,curve,skew
first,30,2,164,VGG19,1=0.6;4=1.5,10;0.5;1;0.1,0.7
"second, and last",60,8,147,,,,
"""

SQUEUE = """\
JOBID   |STATE      |TIME       |TIME_LIMIT |PRIORITY|ACCOUNT|REASON|TRES_ALLOC|NODELIST
4711    |RUNNING    |1:00:00    |4:00:00    |4294901700|vision|None|gres/gpu=3,gres/gpu:a100=3|n01
4712    |RUNNING    |2-00:10:00 |2-00:00:00 |4294901699|nlp|None|cpu=16,node=2,gres/gpu=3|n[01-02]
4713_1  |PENDING    |0:00       |30:00      |4294901750|nlp|Priority|gres/gpu=4,gres/gpu:a100=4|
4714    |PENDING    |0:00       |1-00:00:00 |0|nlp|JobHeldUser|cpu=16,node=1,gres/gpu=2|
4715    |RUNNING    |10:00      |UNLIMITED  |4294901000|speech|None|cpu=16,gres/gpu:v100=8|n04
4716    |COMPLETING |10:00      |20:00      |4294901000|speech|None|cpu=16,gres/gpu:v100=8|n04
4717    |RUNNING    |10:00      |20:00      |4294901000|speech|None|cpu=16,gres/gpu:v100=8|n03
"""
"""A job that runs, one on a node that drains, three that wait, and ones that cannot be used."""

SCONTROL = """\
NodeName=n01 Arch=x86_64 CoresPerSocket=32
   CPUAlloc=48 CPUEfctv=64 CPUTot=64 CPULoad=12.30
   AvailableFeatures=(null)
   Gres=gpu:a100:4(S:0-1)
   NodeAddr=n01 NodeHostName=n01 Version=23.11.4
   OS=Linux 5.15.0 #1 SMP
   RealMemory=512000 AllocMem=256000 FreeMem=120000 Sockets=2 Boards=1
   State=MIXED ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   Partitions=gpu
   CfgTRES=cpu=64,mem=500G,billing=64,gres/gpu=4,gres/gpu:a100=4
   AllocTRES=cpu=48,mem=250G,gres/gpu=3,gres/gpu:a100=3

NodeName=n02 Arch=x86_64 CoresPerSocket=32
   Gres=gpu:a100:4(S:0-1)
   State=MIXED+DRAIN ThreadsPerCore=1
   CfgTRES=cpu=64,mem=500G,billing=64,gres/gpu=4,gres/gpu:a100=4
   Reason=fan State=x [root@2024-03-01T07:00:00]

NodeName=n03 Arch=x86_64 CoresPerSocket=32
   Gres=gpu:v100:8
   State=DOWN* ThreadsPerCore=1
NodeName=n04 Gres=(null) State=IDLE CfgTRES=cpu=64,gres/gpu=8,gres/gpu:v100=8
NodeName=c01 Gres=(null) State=IDLE CfgTRES=cpu=64
"""
"""The nodes of `SQUEUE`."""

TEXTS = {
    "philly": PHILLY,
    "helios": HELIOS,
    "pai": PAI,
    "tiresias": TIRESIAS,
    "muri": MURI,
    "chronus": CHRONUS,
    "gavel": GAVEL,
    "sacct": SACCT,
    "squeue": SQUEUE,
    "csv": CSV,
}
"""One text for each format."""
